"""What sharding does to the grids of a source tree."""
