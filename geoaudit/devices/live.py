"""The CUDA devices of this machine, asked of the driver."""

import ctypes
from collections.abc import Mapping

from geoaudit.devices.spec import DeviceSpec
from geoaudit.devices.table import architecture_limits, known_architectures

LIVE_SOURCE = "CUDA driver"

# CUdevice_attribute values of cuda.h.
_ATTRIBUTES = {
    "max_threads_per_block": 1,
    "shared_bytes_per_block": 8,
    "threads_per_warp": 10,
    "registers_per_block": 12,
    "sm_count": 16,
    "memory_clock_kilohertz": 36,
    "memory_bus_bits": 37,
    "l2_bytes": 38,
    "max_threads_per_sm": 39,
    "compute_capability_major": 75,
    "compute_capability_minor": 76,
    "shared_bytes_per_sm": 81,
    "registers_per_sm": 82,
    "shared_bytes_per_block_optin": 97,
    "max_blocks_per_sm": 106,
    "shared_bytes_reserved_per_block": 111,
}
_NAME_BYTES = 256
_SUCCESS = 0


def live_devices() -> tuple[DeviceSpec, ...]:
    """The CUDA devices of this machine, in the driver's order.

    Everything but the allocation units is asked of the driver. Those are from the table; for a
    compute capability newer than the table, from the newest one it has. Bandwidth is memory
    clock x bus width x 2 (double data rate), None where the driver says 0.

    Returns:
        The devices; empty where there is no driver, no device, or the driver fails to start.
    """
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return ()
    count = ctypes.c_int()
    if driver.cuInit(0) != _SUCCESS or driver.cuDeviceGetCount(ctypes.byref(count)) != _SUCCESS:
        return ()
    devices = (_query(driver, index) for index in range(count.value))
    return tuple(
        spec_from_attributes(name, attributes) for name, attributes in devices if attributes
    )


def spec_from_attributes(name: str, attributes: Mapping[str, int]) -> DeviceSpec:
    """The device that the driver describes by these attributes.

    Args:
        name: as the driver prints it.
        attributes: the fields of DeviceSpec the driver knows, with ``compute_capability_major``,
            ``compute_capability_minor``, ``memory_clock_kilohertz`` and ``memory_bus_bits``.
    """
    major, minor = attributes["compute_capability_major"], attributes["compute_capability_minor"]
    units = architecture_limits(_units_of(major, minor)).figures
    threads_per_warp = attributes["threads_per_warp"]
    transfers = 2 * 1000 * attributes["memory_clock_kilohertz"]
    return DeviceSpec(
        name=name,
        vendor="nvidia",
        architecture=f"{major}.{minor}",
        sm_count=attributes["sm_count"],
        sm_count_source=LIVE_SOURCE,
        threads_per_warp=threads_per_warp,
        max_threads_per_block=attributes["max_threads_per_block"],
        max_threads_per_sm=attributes["max_threads_per_sm"],
        max_warps_per_sm=attributes["max_threads_per_sm"] // threads_per_warp,
        max_blocks_per_sm=attributes["max_blocks_per_sm"],
        registers_per_sm=attributes["registers_per_sm"],
        registers_per_block=attributes["registers_per_block"],
        max_registers_per_thread=units["max_registers_per_thread"],
        register_allocation_unit=units["register_allocation_unit"],
        warp_allocation_granularity=units["warp_allocation_granularity"],
        shared_bytes_per_sm=attributes["shared_bytes_per_sm"],
        shared_bytes_per_block=attributes["shared_bytes_per_block"],
        shared_bytes_per_block_optin=attributes["shared_bytes_per_block_optin"],
        shared_bytes_reserved_per_block=attributes["shared_bytes_reserved_per_block"],
        shared_allocation_unit_bytes=units["shared_allocation_unit_bytes"],
        l2_bytes=attributes["l2_bytes"] or None,
        memory_bytes_per_second=transfers * attributes["memory_bus_bits"] / 8 or None,
    )


def _units_of(major: int, minor: int) -> str:
    """The compute capability of the table whose allocation units hold for this one."""
    known = sorted(
        tuple(int(part) for part in name.split("."))
        for name in known_architectures()
        if not name.startswith("gfx")
    )
    at_most = [capability for capability in known if capability <= (major, minor)]
    return ".".join(str(part) for part in (at_most or known)[-1 if at_most else 0])


def _query(driver: ctypes.CDLL, index: int) -> tuple[str, dict[str, int]]:
    """Name and attributes of one device; no attributes where the driver refuses it."""
    device = ctypes.c_int()
    text = ctypes.create_string_buffer(_NAME_BYTES)
    if driver.cuDeviceGet(ctypes.byref(device), index) != _SUCCESS:
        return "", {}
    if driver.cuDeviceGetName(text, _NAME_BYTES, device) != _SUCCESS:
        return "", {}
    attributes: dict[str, int] = {}
    for field, attribute in _ATTRIBUTES.items():
        value = ctypes.c_int()
        # An attribute that an older driver does not know leaves the value at 0.
        driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, device)
        attributes[field] = value.value
    return text.value.decode("utf-8", "replace"), attributes
