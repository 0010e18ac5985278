"""Cutting a recording into steps, and the steps into tokens."""

from geoaudit.launches.tokens.cutting import Segmentation, StepClass, segment

__all__ = ["Segmentation", "StepClass", "segment"]
