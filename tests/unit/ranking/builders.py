"""Recordings made up from a few words, for tests of the ranking."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from geoaudit.devices.recorded import RecordedDevice
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Metadata, Recording
from geoaudit.launches.table import build_launches

H200 = RecordedDevice(
    index=0, name="NVIDIA H200", architecture="9.0", sm_count=132, sm_count_source="the profile"
)


@dataclass(frozen=True, kw_only=True)
class Launch:
    """One row of a launches table."""

    kernel: str = "k"
    start: int | None = 0
    duration: int | None = 10
    blocks: int | None = 132
    threads: int = 128
    stream: int = 7
    device: int = 0
    kind: str = s.KIND_KERNEL
    ranges: str | None = None
    owner: str = "own"


def table(launches: Sequence[Launch]) -> pd.DataFrame:
    """The launches table of these."""
    rows = list(launches)
    geometry = [row.blocks if row.kind == s.KIND_KERNEL else None for row in rows]
    known = [None if blocks is None else 1 for blocks in geometry]
    return build_launches(
        {
            s.KIND: [row.kind for row in rows],
            s.KERNEL: [row.kernel for row in rows],
            s.KERNEL_SHORT: [row.kernel for row in rows],
            s.OWNER: [row.owner for row in rows],
            s.START_NS: [row.start for row in rows],
            s.DURATION_NS: [row.duration for row in rows],
            s.DEVICE: [row.device for row in rows],
            s.STREAM: [row.stream for row in rows],
            s.GRID_X: geometry,
            s.GRID_Y: known,
            s.GRID_Z: known,
            s.BLOCK_X: [
                None if one is None else row.threads for row, one in zip(rows, known, strict=True)
            ],
            s.BLOCK_Y: known,
            s.BLOCK_Z: known,
            s.REGISTERS_PER_THREAD: [None if one is None else 32 for one in known],
            s.SHARED_BYTES: [None if one is None else 0 for one in known],
            s.RANGES: [row.ranges for row in rows],
        }
    )


def recording(
    launches: Sequence[Launch], devices: tuple[RecordedDevice, ...] = (H200,)
) -> Recording:
    """A recording of these launches."""
    return Recording(
        launches=table(launches),
        metadata=Metadata(
            instrument="kineto", source_format="kineto", source_name="t.json", devices=devices
        ),
    )


def tokens(layout: Sequence[Launch], count: int, period_ns: int) -> list[Launch]:
    """The layout repeated as tokens ``decode#0``, ``decode#1``, ... at a fixed period."""
    return [
        replace(launch, start=(launch.start or 0) + token * period_ns, ranges=f"decode#{token}")
        for token in range(count)
        for launch in layout
    ]
