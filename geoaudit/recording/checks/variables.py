"""Environment variables that decide whether a recording succeeds, and who sets them."""

from collections.abc import Mapping

INJECTION = "CUDA_INJECTION64_PATH"
NVTX_INJECTION = "NVTX_INJECTION64_PATH"
PRELOAD = "LD_PRELOAD"
VISIBLE_DEVICES = "CUDA_VISIBLE_DEVICES"
CAPABILITIES = "NVIDIA_DRIVER_CAPABILITIES"
MPS_PERCENTAGE = "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"
NSYS_SESSION = "NSYS_PROFILING_SESSION_ID"

_WATCHED = (
    INJECTION,
    NVTX_INJECTION,
    PRELOAD,
    VISIBLE_DEVICES,
    CAPABILITIES,
    MPS_PERCENTAGE,
    "CUDA_MPS_PIPE_DIRECTORY",
    "NVIDIA_VISIBLE_DEVICES",
)
# Prefix of a variable -> the tool that sets it for what it runs.
_TOOL_PREFIXES = {
    "NSYS_": "Nsight Systems",
    "QUADD_": "Nsight Systems",
    "NV_COMPUTE_PROFILER": "Nsight Compute",
    "NV_NSIGHT_INJECTION": "Nsight Compute",
    "NV_SANITIZER": "compute-sanitizer",
    "COMPUTE_SANITIZER": "compute-sanitizer",
    "CUPTI_": "a CUPTI client",
    "KINETO_": "PyTorch's profiler",
}
# A variable that ends so tells where something is installed, not that it runs.
_PLACES = ("_HOME", "_ROOT", "_DIR", "_PATH", "_VERSION")
# Part of a library's path, in small letters -> the tool that preloads it.
_TOOL_LIBRARIES = {
    "nsight-systems": "Nsight Systems",
    "/nsys": "Nsight Systems",
    "toolsinjection": "Nsight Systems",
    "nsight-compute": "Nsight Compute",
    "/ncu": "Nsight Compute",
    "sanitizer-collection": "compute-sanitizer",
    "compute-sanitizer": "compute-sanitizer",
    "interceptorinjection": "Nsight Compute or compute-sanitizer",
    "treelauncher": "Nsight Compute or compute-sanitizer",
    "libgeoaudit_injector": "another geoaudit",
}


def is_watched(name: str) -> bool:
    """Whether a variable can matter to a recording."""
    return name in _WATCHED or tool_of_variable(name) is not None


def tool_of_variable(name: str) -> str | None:
    """The tool that sets a variable of this name, or None.

    >>> tool_of_variable("NSYS_PROFILING_SESSION_ID"), tool_of_variable("HOME")
    ('Nsight Systems', None)
    """
    if name.endswith(_PLACES):
        return None
    for prefix, tool in _TOOL_PREFIXES.items():
        if name.startswith(prefix):
            return tool
    return None


def tools_of(environment: Mapping[str, str]) -> dict[str, str]:
    """Variable -> tool that set it, in alphabetical order.

    >>> tools_of({"NV_SANITIZER_PORT": "1", "HOME": "/root"})
    {'NV_SANITIZER_PORT': 'compute-sanitizer'}
    """
    found = {name: tool_of_variable(name) for name in sorted(environment)}
    return {name: tool for name, tool in found.items() if tool is not None}


def tool_of_library(path: str) -> str | None:
    """The tool that a library belongs to, by its path, or None.

    >>> tool_of_library("/opt/nvidia/nsight-systems/2025.3/libToolsInjection64.so")
    'Nsight Systems'
    """
    lowered = path.lower()
    for part, tool in _TOOL_LIBRARIES.items():
        if part in lowered:
            return tool
    return None
