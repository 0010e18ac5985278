"""What was measured of one device: the floors that a kernel's time is held against."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

_TIMES_NS = (1e-3, 1e9)
PLAUSIBLE = {
    "copy_bytes_per_second": (1e8, 1e15),
    "launch_floor_ns": _TIMES_NS,
    "graph_launch_floor_ns": _TIMES_NS,
    "latency_ns": _TIMES_NS,
    "timer_tick_ns": _TIMES_NS,
}
"""Least and greatest value of each figure, far from those of any device."""


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """Figures of one device as measured on it. None: not measured.

    Attributes:
        device_name: as the driver spells it.
        copy_bytes_per_second: bytes read plus bytes written per second of a large copy on the
            device.
        launch_floor_ns: median recorded duration of an empty kernel, launched eagerly.
        graph_launch_floor_ns: the same as a node of a CUDA graph.
        latency_ns: of one dependent load from memory, L2 and all caches missed.
        timer_tick_ns: smallest step between recorded times.
        driver_version: of the driver then, as it spells it.
        measured_on: date, ISO 8601.
    """

    device_name: str
    copy_bytes_per_second: float | None = None
    launch_floor_ns: float | None = None
    graph_launch_floor_ns: float | None = None
    latency_ns: float | None = None
    timer_tick_ns: float | None = None
    driver_version: str = ""
    measured_on: str = ""


def implausible_figures(calibration: Calibration) -> tuple[str, ...]:
    """Names of figures that no device has: 0, negative, not finite, or out of all bounds.

    Example:
        >>> implausible_figures(Calibration(device_name="d", launch_floor_ns=0.0))
        ('launch_floor_ns',)
    """
    return tuple(
        name
        for name, (least, greatest) in PLAUSIBLE.items()
        if (figure := getattr(calibration, name)) is not None and not least <= figure <= greatest
    )


def without_implausible_figures(
    calibrations: Iterable[Calibration],
) -> tuple[tuple[Calibration, ...], tuple[str, ...]]:
    """Calibrations in which such figures are None, and a sentence for each of them."""
    kept, warnings = [], []
    for one in calibrations:
        names = implausible_figures(one)
        unknown: dict[str, Any] = dict.fromkeys(names)
        kept.append(replace(one, **unknown))
        warnings += [f"{_told(one, name)} cannot be: taken as not measured" for name in names]
    return tuple(kept), tuple(warnings)


def implausible_sentence(calibrations: Iterable[Calibration]) -> str:
    """What is wrong with calibrations, in a few words; empty: nothing."""
    return ", ".join(_told(one, name) for one in calibrations for name in implausible_figures(one))


def _told(calibration: Calibration, name: str) -> str:
    return f"{name} {getattr(calibration, name):g} of {calibration.device_name}"
