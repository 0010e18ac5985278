"""From parsed files to launch sites with symbolic grids: linking, launchers, backward slices."""
