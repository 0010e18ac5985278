"""The devices of a stream, and what MIG, MPS and green contexts leave a process of their SMs."""

import math

import numpy as np

from geoaudit.devices.recorded import RecordedDevice
from geoaudit.recording.checks.variables import MPS_PERCENTAGE
from geoaudit.recording.stream import Records, Stream


def recorded_devices(stream: Stream) -> tuple[RecordedDevice, ...]:
    """The devices that CUPTI described, each once.

    The SM count is that of what launches could use where it is certain: of the MIG instance that
    the process saw, or of the green contexts where all that launched have the same count.
    """
    return tuple(_device(stream, record) for record in _latest(stream.devices, "device"))


def partition_warnings(stream: Stream) -> tuple[str, ...]:
    """What the SM counts of `recorded_devices` leave out, a sentence each."""
    devices = _latest(stream.devices, "device")
    mixed = [text for record in devices for text in _mixed_contexts(stream, record)]
    return (*mixed, *(text for record in devices for text in _mps(stream, record)))


def _latest(records: Records, field: str) -> list[np.void]:
    return list({int(record[field]): record for record in records}.values())


def _device(stream: Stream, record: np.void) -> RecordedDevice:
    count, source = int(record["sm_count"]) or None, "CUPTI's device record"
    if record["is_mig"]:
        source += " of a MIG instance"
    green = _common_green_count(stream, record)
    if green:
        count, source = green, "CUPTI's record of the green context"
    threads = int(record["max_warps_per_sm"]) * int(record["threads_per_warp"])
    return RecordedDevice(
        index=int(record["device"]),
        name=bytes(record["name"]).decode("utf-8", "replace") or None,
        architecture=f"{record['capability_major']}.{record['capability_minor']}",
        sm_count=count,
        sm_count_source=source,
        threads_per_warp=int(record["threads_per_warp"]) or None,
        max_threads_per_sm=threads or None,
        max_blocks_per_sm=int(record["max_blocks_per_sm"]) or None,
        registers_per_sm=int(record["registers_per_sm"]) or None,
        shared_bytes_per_sm=int(record["shared_bytes_per_sm"]) or None,
    )


UNKNOWN = 0
"""SMs of a green context that CUPTI did not count (before CUDA 12.5)."""


def _launching_contexts(stream: Stream, device: np.void) -> dict[int, int | None]:
    """Contexts that launched on a device -> SMs of a green one; None: no green context."""
    green = {
        int(record["context"]): int(record["sm_count"])
        for record in _latest(stream.contexts, "context")
        if record["is_green"]
    }
    here = stream.kernels["context"][stream.kernels["device"] == device["device"]]
    return {int(context): green.get(int(context)) for context in np.unique(here)}


def _common_green_count(stream: Stream, device: np.void) -> int | None:
    """SMs of the green contexts where all that launched are green and have as many."""
    counts = set(_launching_contexts(stream, device).values())
    (count,) = counts if len(counts) == 1 else (None,)
    return count or None


def _mixed_contexts(stream: Stream, device: np.void) -> list[str]:
    if _common_green_count(stream, device):
        return []
    whole = int(device["sm_count"])
    return [
        f"context {context} is a green context of {count or 'an unknown number of'} SMs, and its "
        f"fill is of all {whole}: other contexts have other SMs, or CUPTI does not tell. Record it "
        f"alone, or give --sms {count or 'N'}"
        for context, count in _launching_contexts(stream, device).items()
        if count is not None
    ]


def _mps(stream: Stream, device: np.void) -> list[str]:
    """MPS rounds the share to what the device allows, and there may be no MPS: no certain count."""
    percentage = stream.mps_percentage
    if percentage is None or percentage >= 100 or _common_green_count(stream, device):
        return []
    count = math.ceil(int(device["sm_count"]) * percentage / 100)
    return [
        f"{MPS_PERCENTAGE} was {percentage:g}: under MPS launches had about {count} of "
        f"{device['sm_count']} SMs. Give --sms {count} if it ran under MPS"
    ]
