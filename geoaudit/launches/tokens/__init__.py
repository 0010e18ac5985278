"""Cutting a recording into steps, and the steps into tokens."""

from geoaudit.launches.tokens.cutting import Segmentation, StepClass, segment
from geoaudit.launches.tokens.steps_table import counted_intervals

__all__ = ["Segmentation", "StepClass", "counted_intervals", "segment"]
