"""The one place where text is made of numbers: base units in, units a person reads out.

Every function turns None, NaN and infinities into ``CANNOT_TELL``, never into 0.
"""

import math

CANNOT_TELL = "?"

_DURATION_UNITS = ((1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s"))
_BYTE_UNITS = ((1.0, "B"), (2.0**10, "KiB"), (2.0**20, "MiB"), (2.0**30, "GiB"), (2.0**40, "TiB"))


def known(value: float | None) -> bool:
    """Whether a figure is there and finite."""
    return value is not None and math.isfinite(value)


def duration(value_ns: float | None) -> str:
    """A duration in ns as text with three significant digits.

    >>> duration(86_600), duration(842), duration(999.7), duration(0), duration(None)
    ('86.6 µs', '842 ns', '1.00 µs', '0 ns', '?')
    """
    return _scaled(value_ns, _DURATION_UNITS)


def byte_count(value_bytes: float | None) -> str:
    """A size in bytes as text, in binary units.

    >>> byte_count(49_152), byte_count(100), byte_count(None)
    ('48.0 KiB', '100 B', '?')
    """
    return _scaled(value_bytes, _BYTE_UNITS)


def percent(fraction: float | None) -> str:
    """A fraction as per cent with one decimal; exactly nothing and exactly all without one.

    >>> percent(12 / 132), percent(1.0), percent(0.0), percent(0.0002), percent(None)
    ('9.1 %', '100 %', '0 %', '<0.1 %', '?')
    """
    if fraction is None or not math.isfinite(fraction):
        return CANNOT_TELL
    if fraction in (0, 1):
        return f"{fraction * 100:.0f} %"
    if 0 < fraction < 0.0005:
        return "<0.1 %"
    return f"{fraction * 100:,.1f} %"


def share(part: float | None, whole: float | None) -> float | None:
    """``part`` as a fraction of ``whole``; None where either is unknown or there is no whole."""
    if part is None or whole is None or not known(part) or not known(whole) or whole <= 0:
        return None
    return part / whole


def count(value: float | None) -> str:
    """A count with thousands separators; means over tokens keep three significant digits.

    >>> count(263_927), count(12.5), count(1 / 12), count(0), count(None)
    ('263,927', '12.5', '0.0833', '0', '?')
    """
    if value is None or not math.isfinite(value):
        return CANNOT_TELL
    if value == int(value):
        return f"{int(value):,}"
    if abs(value) < 1:
        return f"{value:.3g}"
    return _three_digits(value)


def waves(value: float | None) -> str:
    """Waves, not rounded to whole ones.

    >>> waves(3.3333), waves(0.0455), waves(1234.5), waves(0.0004), waves(None)
    ('3.33', '0.05', '1,234', '<0.01', '?')
    """
    if value is None or not math.isfinite(value):
        return CANNOT_TELL
    if 0 < value < 0.005:
        return "<0.01"
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"


def plural(value: float | None, one: str, several: str = "") -> str:
    """A count with its noun; ``several`` where that is not ``one`` with an s.

    >>> plural(1, "token"), plural(1200, "token"), plural(2, "launch", "launches")
    ('1 token', '1,200 tokens', '2 launches')
    """
    return f"{count(value)} {one if value == 1 else several or one + 's'}"


def dimensions(value: tuple[int, int, int] | None) -> str:
    """A grid, block or cluster without its trailing ones.

    >>> dimensions((12, 4, 1)), dimensions((1, 1, 1)), dimensions((1, 1, 8)), dimensions(None)
    ('12×4', '1', '1×1×8', '?')
    """
    if value is None:
        return CANNOT_TELL
    axes = list(value)
    while len(axes) > 1 and axes[-1] == 1:
        axes.pop()
    return "×".join(str(axis) for axis in axes)


def _scaled(value: float | None, units: tuple[tuple[float, str], ...]) -> str:
    if value is None or not math.isfinite(value):
        return CANNOT_TELL
    step, unit = units[0]
    rounded = float(f"{abs(value):.3g}")
    for candidate_step, candidate in units:
        if rounded >= candidate_step:
            step, unit = candidate_step, candidate
    scaled = value / step
    whole = step == 1 and scaled == int(scaled)
    return f"{int(scaled) if whole else _three_digits(scaled)} {unit}"


def _three_digits(value: float) -> str:
    rounded = float(f"{value:.3g}")
    size = abs(rounded)
    decimals = 0 if size >= 100 else 1 if size >= 10 else 2
    # Above three digits nothing may be rounded away: 1,234 calls are not 1,230.
    return f"{value if size >= 1000 else rounded:,.{decimals}f}"
