"""Launches that a geoaudit manifest lists (`geoaudit.manifest` documents the format).

The formulas become the program that other sources become, so that grids are derived from them as
from any source, and by nothing that plans a run.
"""
