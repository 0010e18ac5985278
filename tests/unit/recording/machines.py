"""Machines for tests of what stops a recording."""

from typing import Any

from geoaudit.recording.checks.machine import (
    Cupti,
    Device,
    Disk,
    Driver,
    Machine,
    Recorder,
    Sharing,
    Tool,
)

H200 = Device(name="NVIDIA H200", compute_capability="9.0", sm_count=132)
DRIVER = Driver(
    init_result=0,
    init_name="CUDA_SUCCESS",
    cuda=(13, 0),
    devices=(H200,),
    nodes=("/dev/nvidia0", "/dev/nvidiactl"),
)
NO_LIBRARY = "libcuda.so.1: cannot open shared object file"
NO_GPU = Driver(error=NO_LIBRARY)


def cupti(api_version: int | None = 130001, error: str | None = None, path: str = "") -> Cupti:
    """A CUPTI of a wheel."""
    path = path or f"/venv/nvidia/lib/libcupti.so.{api_version}"
    return Cupti(path=path, origin="wheel", api_version=api_version, error=error)


def machine(**changes: object) -> Machine:
    """A machine on which nothing stops a recording, with changes."""
    fields: dict[str, Any] = {
        "platform": "linux",
        "python": "3.12.4",
        "driver": DRIVER,
        "recorder": Recorder(path="/venv/libgeoaudit_injector.so", is_built=True),
        "cupti": (cupti(),),
        "sharing": Sharing(mig_modes=("Disabled",)),
        "disk": Disk(folder="/home/me", free_bytes=100 << 30, is_writable=True),
        "tools": (Tool(name="ncu", path="/usr/bin/ncu", version="2025.3.1"), Tool(name="nsys")),
    }
    return Machine(**{**fields, **changes})
