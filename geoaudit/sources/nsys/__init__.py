"""Nsight Systems: the SQLite export and the CSV of `nsys stats`."""
