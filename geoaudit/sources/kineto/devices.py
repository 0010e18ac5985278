"""The devices of a trace, from its properties or worked out from its kernels."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import msgspec
import numpy as np
import numpy.typing as npt

from geoaudit.devices.recorded import RecordedDevice
from geoaudit.sources.kineto.activities import Integers
from geoaudit.sources.kineto.document import DeviceProperties

# "blocks per SM" is printed with six decimals: below this it does not give the SM count exactly.
_SMALLEST_RATIO = 0.005
_THREADS_PER_WARP = 32
_NUM_SMS = "deviceProperties.numSms"

# gfx names by HIP's compute capability. 9.0 is several parts: of those only gfx90a holds 2048
# threads on a compute unit. Source: LLVM's AMDGPU processor table.
_GFX_NAMES = {(9, 4): "gfx942", (9, 5): "gfx950"}
_GFX90A = ((9, 0), 2048)


@dataclass(frozen=True, kw_only=True)
class SmRatios:
    """What kernels tell of the SM count of their device, one value per kernel.

    Attributes:
        device: device index.
        blocks, threads: blocks of the grid and threads of the block, NaN where unknown.
        blocks_per_sm, warps_per_sm: grid and warps divided by the SM count, as Kineto prints
            them, NaN where it does not.
    """

    device: Integers
    blocks: npt.NDArray[np.float64]
    threads: npt.NDArray[np.float64]
    blocks_per_sm: npt.NDArray[np.float64]
    warps_per_sm: npt.NDArray[np.float64]


def recorded_devices(
    properties: Iterable[DeviceProperties], used: Iterable[int], ratios: SmRatios, *, is_rocm: bool
) -> tuple[RecordedDevice, ...]:
    """The devices that kernels ran on, as the trace describes them.

    Args:
        properties: of all devices of the machine.
        used: indices of the devices that appear in the launches.
        ratios: for the SM count where the properties do not give it: the most frequent
            blocks / "blocks per SM", or warps / "warps per SM".
        is_rocm: the trace is of AMD devices.
    """
    listed = list(properties)
    known = {each.id: each for each in listed}
    alike = _same_model(listed) if is_rocm else None
    devices = []
    for index in sorted(used):
        device = _described(index, known.get(index, alike), is_rocm=is_rocm)
        if index not in known and device.sm_count is not None:
            device = replace(device, sm_count_source=f"{_NUM_SMS}, device not listed by its number")
        if device.sm_count is None:
            device = _with_sm_count(device, ratios)
        devices.append(device)
    return tuple(devices)


def _same_model(listed: list[DeviceProperties]) -> DeviceProperties | None:
    """The properties all listed devices share; None where they differ.

    ROCm numbers the device of a kernel among all agents of the machine, and the listed devices
    among the visible ones, so that a kernel may name a device that is not listed.
    """
    models = {msgspec.structs.replace(each, id=None) for each in listed}
    return models.pop() if len(models) == 1 else None


def _described(index: int, given: DeviceProperties | None, *, is_rocm: bool) -> RecordedDevice:
    if given is None:
        return RecordedDevice(index=index)
    shared = given.shared_mem_per_multiprocessor or given.max_shared_memory_per_multi_processor
    sm_count = _positive(given.num_sms)
    return RecordedDevice(
        index=index,
        name=given.name or None,
        architecture=_architecture(given, is_rocm=is_rocm),
        sm_count=sm_count,
        sm_count_source=None if sm_count is None else _NUM_SMS,
        threads_per_warp=_positive(given.warp_size),
        max_threads_per_sm=_positive(given.max_threads_per_multiprocessor),
        registers_per_sm=_positive(given.regs_per_multiprocessor),
        shared_bytes_per_sm=_positive(shared),
        shared_bytes_per_block_optin=_positive(given.shared_mem_per_block_optin),
    )


def _architecture(given: DeviceProperties, *, is_rocm: bool) -> str | None:
    major, minor = given.compute_major, given.compute_minor
    if major is None or minor is None or major <= 0:
        return None
    if not is_rocm:
        return f"{major}.{minor}"
    if ((major, minor), given.max_threads_per_multiprocessor) == _GFX90A:
        return "gfx90a"
    return _GFX_NAMES.get((major, minor))


def _with_sm_count(device: RecordedDevice, ratios: SmRatios) -> RecordedDevice:
    here = ratios.device == device.index
    # Kineto does not round the warps of a block up.
    warps = ratios.threads / _THREADS_PER_WARP
    for whole, ratio, source in (
        (ratios.blocks, ratios.blocks_per_sm, 'grid / "blocks per SM" of most kernels'),
        (ratios.blocks * warps, ratios.warps_per_sm, 'warps / "warps per SM" of most kernels'),
    ):
        count = _most_frequent(whole[here], ratio[here])
        if count is not None:
            return replace(device, sm_count=count, sm_count_source=source)
    return device


def _most_frequent(whole: npt.NDArray[np.float64], ratio: npt.NDArray[np.float64]) -> int | None:
    usable = np.isfinite(whole) & np.isfinite(ratio) & (ratio > _SMALLEST_RATIO)
    if not usable.any():
        return None
    counts, frequencies = np.unique(np.rint(whole[usable] / ratio[usable]), return_counts=True)
    return int(counts[frequencies.argmax()]) or None


def _positive(value: int | None) -> int | None:
    return value if value is not None and value > 0 else None
