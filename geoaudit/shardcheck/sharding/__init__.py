"""Which extents parallelism divides."""
