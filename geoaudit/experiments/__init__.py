"""Comparing arms: in which order they are measured, and whether their outputs are the same."""
