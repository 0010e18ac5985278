"""What calls of the CUDA, HIP and driver interfaces write through the addresses they are given."""

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.program.walking import last_name
from geoaudit.shardcheck.slicing import quantities
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.values import Reference, Value
from geoaudit.shardcheck.words import is_sm_attribute

_OCCUPANCY = ("OccupancyMaxActiveBlocksPerMultiprocessor", "OccupancyMaxActiveClusters")
_ATTRIBUTE = ("DeviceGetAttribute",)
_COPYING = ("memcpy", "memcmp", "memset", "cudaMemcpy", "hipMemcpy", "cuMemcpy")
_LAUNCHING = ("cudaLaunch", "hipLaunch", "cuLaunch", "hipExtLaunch", "hipModuleLaunch")


def written(call: e.Call, number: int, text: str, frame: Frame) -> Value | None:
    """What the CUDA, HIP and driver interfaces write."""
    name = last_name(call.function)
    if number:
        return None
    kind = None
    if any(name.find(one) >= 0 for one in _OCCUPANCY):
        kind = "occupancy"
    elif any(name.endswith(one) for one in _ATTRIBUTE):
        asked = spelled(call.arguments[1]) if len(call.arguments) > 1 else ""
        if not is_sm_attribute(asked):
            text = asked or text
        kind = quantities.SM_COUNT if is_sm_attribute(asked) else "constant"
    elif "GetDeviceProperties" in name:
        return Reference(
            text=text.lstrip("&"), kind="unknown", path=frame.path, type="cudaDeviceProp"
        )
    if kind is None:
        return None
    return Reference(text=text.lstrip("&"), kind=kind, path=frame.path, line=call.line)


def only_reads(call: e.Call, number: int) -> bool:
    """Whether a call only reads what an address gives it: a launch, the source of a copy."""
    name = last_name(call.function)
    return name.startswith(_LAUNCHING) or (name.startswith(_COPYING) and number > 0)
