"""What only renderers make text of, beside the quantities that every sentence is made of."""

from geoaudit.quantities import (
    CANNOT_TELL,
    byte_count,
    count,
    dimensions,
    duration,
    known,
    percent,
    plural,
    share,
    waves,
)

__all__ = [
    "CANNOT_TELL",
    "byte_count",
    "count",
    "dimensions",
    "duration",
    "duration_range",
    "known",
    "percent",
    "plural",
    "share",
    "waves",
]


def duration_range(low_ns: float, high_ns: float) -> str:
    """Two durations, the unit written once where it is the same.

    >>> duration_range(6_660_000, 55e6), duration_range(900_000, 2e6)
    ('6.66 to 55.0 ms', '900 µs to 2.00 ms')
    """
    low, high = duration(low_ns), duration(high_ns)
    number, _, unit = low.partition(" ")
    return f"{number if high.endswith(f' {unit}') else low} to {high}"
