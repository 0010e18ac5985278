"""Launch-geometry audit of GPU inference engines."""

__version__ = "0.1.0"
