"""Reaching definitions: what statements before a point of a function give what is read there."""
