"""What was measured of one device: the floors that a kernel's time is held against."""

from dataclasses import dataclass


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
