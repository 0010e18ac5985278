"""The GPUs of an Nsight Systems export, and which of them a process's ordinal means."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from geoaudit.devices.recorded import RecordedDevice
from geoaudit.sources.nsys.tables import CONTEXT_TABLE, CUDA_DEVICE_TABLE, GPU_TABLE, Database

_GPU_COLUMNS = (
    "id",
    "smCount",
    "computeMajor",
    "computeMinor",
    "threadsPerWarp",
    "maxWarpsPerSm",
    "maxBlocksPerSm",
    "maxRegistersPerSm",
    "maxShmemPerSm",
    "maxShmemPerBlockOptin",
)


@dataclass(frozen=True, kw_only=True)
class UsedDevices:
    """The devices that launches ran on.

    Attributes:
        index: device of each launch, int64, in the order of the launches.
        devices: a description per device used; bare where the export has none.
        warnings: what a reader should know about them.
    """

    index: np.ndarray
    devices: tuple[RecordedDevice, ...]
    warnings: tuple[str, ...]


def used_devices(database: Database, ordinals: pd.Series, processes: pd.Series) -> UsedDevices:
    """The devices of launches with these CUDA ordinals in these processes.

    An ordinal counts within its process (``CUDA_VISIBLE_DEVICES``); where the export maps it to
    a GPU that GPU's number is used, else the ordinal itself.

    Args:
        database: the export.
        ordinals: ``deviceId`` of each launch, Int64; null counts as 0.
        processes: process of each launch, Int64, null where the export does not tell.
    """
    mapping = database.integers(
        CUDA_DEVICE_TABLE, ["gpuId", "cudaId", "pid", "numMultiprocessors"]
    ).dropna(subset=["gpuId", "cudaId"])
    index = _gpu_numbers(ordinals.fillna(0), processes, mapping)
    gpus = _described_gpus(database)
    visible = mapping.dropna(subset=["numMultiprocessors"])
    sm_counts = {
        int(gpu): int(group.min())
        for gpu, group in visible.groupby("gpuId")["numMultiprocessors"]
        if group.min() > 0
    }
    devices, warnings = [], []
    for number in np.unique(index).tolist():
        device, warning = _with_visible_sms(
            gpus.get(number, RecordedDevice(index=number)), sm_counts.get(number)
        )
        devices.append(device)
        warnings += [warning] if warning else []
    return UsedDevices(index=index, devices=tuple(devices), warnings=tuple(warnings))


def green_context_warnings(database: Database, used: int) -> list[str]:
    """A warning where launches ran in green contexts, which own a part of the SMs only.

    Args:
        database: the export.
        used: launches whose record names a green context.
    """
    if not used:
        return []
    sizes = database.integers(CONTEXT_TABLE, ["isGreenContext", "numMultiprocessors"])
    green = sizes.loc[(sizes["isGreenContext"] == 1).fillna(value=False), "numMultiprocessors"]
    counts = sorted({int(size) for size in green.dropna() if size > 0})
    detail = f" ({', '.join(map(str, counts))} SMs, says the export)" if counts else ""
    return [
        f"{used:,} launches ran in a green context, which owns a part of the device's SMs"
        f"{detail}: their SM fill is computed against the whole device unless --sms is given"
    ]


def _gpu_numbers(ordinals: pd.Series, processes: pd.Series, mapping: pd.DataFrame) -> np.ndarray:
    numbers: np.ndarray = ordinals.astype("int64").to_numpy().copy()
    if mapping["pid"].isna().all() or processes.isna().all():
        mapping = mapping.drop_duplicates("cudaId").assign(pid=pd.NA)
    for row in mapping.itertuples(index=False):
        meant = (ordinals == row.cudaId).to_numpy(bool)
        if not pd.isna(row.pid):
            meant &= (processes == row.pid).fillna(value=False).to_numpy(bool)
        numbers[meant] = row.gpuId
    return numbers


def _described_gpus(database: Database) -> dict[int, RecordedDevice]:
    rows = database.integers(GPU_TABLE, _GPU_COLUMNS)
    names = database.texts(GPU_TABLE, "name") or [None] * len(rows)
    described: dict[int, RecordedDevice] = {}
    for name, values in zip(names, rows.to_dict("records"), strict=True):
        facts = {str(key): int(v) for key, v in values.items() if not pd.isna(v)}
        if "id" in facts:
            described[facts["id"]] = _described(facts, name)
    return described


def _described(facts: dict[str, int], name: str | None) -> RecordedDevice:
    # The exporter writes 0 where it does not know a figure.
    known = {key: value for key, value in facts.items() if value > 0}
    warps, lanes = known.get("maxWarpsPerSm"), known.get("threadsPerWarp")
    major = known.get("computeMajor")
    return RecordedDevice(
        index=facts["id"],
        name=name or None,
        architecture=None if major is None else f"{major}.{facts.get('computeMinor', 0)}",
        sm_count=known.get("smCount"),
        sm_count_source=f"{GPU_TABLE}.smCount" if "smCount" in known else None,
        threads_per_warp=lanes,
        max_threads_per_sm=warps * lanes if warps and lanes else None,
        max_blocks_per_sm=known.get("maxBlocksPerSm"),
        registers_per_sm=known.get("maxRegistersPerSm"),
        shared_bytes_per_sm=known.get("maxShmemPerSm"),
        shared_bytes_per_block_optin=known.get("maxShmemPerBlockOptin"),
    )


def _with_visible_sms(
    device: RecordedDevice, visible: int | None
) -> tuple[RecordedDevice, str | None]:
    """The device with the SMs that CUDA showed the process, which MIG and MPS reduce."""
    if visible is None or visible == device.sm_count:
        return device, None
    source = f"{CUDA_DEVICE_TABLE}.numMultiprocessors"
    warning = None
    if device.sm_count is not None:
        warning = (
            f"device {device.index}: the GPU has {device.sm_count} SMs, CUDA showed the process "
            f"{visible} (MIG or MPS): {visible} is used"
        )
    return replace(device, sm_count=visible, sm_count_source=source), warning
