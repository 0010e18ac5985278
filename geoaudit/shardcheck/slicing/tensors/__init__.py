"""Tensors by their extents, and what operations make of them."""
