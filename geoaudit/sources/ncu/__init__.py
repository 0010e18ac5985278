"""Nsight Compute: the raw and the details page as CSV."""
