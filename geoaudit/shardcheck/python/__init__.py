"""Python source text → program, with Python's own parser."""
