"""From parsed files to launch sites with symbolic grids: linking, launchers, backward slices."""

from geoaudit.shardcheck.slicing.launches import launch_sites

__all__ = ["launch_sites"]
