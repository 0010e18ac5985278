"""Launches: the interfaces, the launchers around them, their grids, and the sites of a program."""
