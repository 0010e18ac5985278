"""Loads one library and says what came of it, as JSON on standard output.

Runs in a process of its own: a library that crashes, hangs or prints takes only this one along,
and two CUPTIs never meet.
"""

import ctypes
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any


def main(arguments: Sequence[str]) -> None:
    """Probe ``driver``, ``cupti PATH`` or ``recorder PATH``; print one line."""
    kind, *rest = arguments
    try:
        found = _PROBES[kind](*rest)
    except (OSError, AttributeError) as error:
        # ctypes: the loader's refusal, or a function that the library lacks.
        found = {"error": str(error)}
    sys.stdout.write("\n" + json.dumps(found) + "\n")


def probe_driver() -> dict[str, Any]:
    """Result and name of cuInit, cuDriverGetVersion, and the devices."""
    driver = ctypes.CDLL("libcuda.so.1")
    result = driver.cuInit(0)
    version = ctypes.c_int()
    known = driver.cuDriverGetVersion(ctypes.byref(version)) == 0
    return {
        "init_result": result,
        "init_name": _name_of(driver, result),
        "cuda": [version.value // 1000, version.value % 1000 // 10] if known else None,
        "devices": _devices() if result == 0 else [],
    }


def probe_cupti(path: str) -> dict[str, Any]:
    """The API version of a CUPTI."""
    version = ctypes.c_uint32()
    result = ctypes.CDLL(path).cuptiGetVersion(ctypes.byref(version))
    if result:
        return {"error": f"cuptiGetVersion failed with error {result}"}
    return {"api_version": version.value}


def probe_recorder(path: str) -> dict[str, Any]:
    """Nothing where the recorder loads and has the entry that the driver calls."""
    _ = ctypes.CDLL(path).InitializeInjection
    return {}


def _name_of(driver: ctypes.CDLL, result: int) -> str | None:
    name = ctypes.c_char_p()
    if driver.cuGetErrorName(result, ctypes.byref(name)) or name.value is None:
        return None
    return name.value.decode("ascii", "replace")


def _devices() -> list[dict[str, Any]]:
    from geoaudit.devices.live import live_devices

    return [
        {
            "name": device.name,
            "compute_capability": device.architecture,
            "sm_count": device.sm_count,
        }
        for device in live_devices()
    ]


_PROBES: dict[str, Callable[..., dict[str, Any]]] = {
    "driver": probe_driver,
    "cupti": probe_cupti,
    "recorder": probe_recorder,
}
