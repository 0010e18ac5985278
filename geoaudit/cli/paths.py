"""File names that several commands agree on."""

from pathlib import Path

DEFAULT_SCAN = Path("geoaudit-scan.parquet")
DEFAULT_REPORT = Path("geoaudit-report")
