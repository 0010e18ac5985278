"""Exact integer expressions for the extents of a grid."""
