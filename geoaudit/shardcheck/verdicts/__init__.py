"""What sharding does to each grid: evaluated at every number of ranks, judged, with findings."""
