"""Whether this machine has a CUDA device, without making a context on it."""

import ctypes

from geoaudit.errors import NotMeasuredError
from geoaudit.recording.in_process import cuda_driver

SUCCESS = 0
# Of cuda.h: what cuInit answers where there is a driver and nothing to drive.
STUB_LIBRARY = 34
NO_DEVICE = 100


def has_device() -> bool:
    """Whether the driver finds a CUDA device.

    Raises:
        NotMeasuredError: there is a driver that does not start.
    """
    return device_count() > 0


def device_count() -> int:
    """How many CUDA devices the driver finds; 0 too where there is no driver.

    Raises:
        NotMeasuredError: there is a driver that does not start. A machine whose GPU is broken is
            no machine without a GPU.
    """
    driver = cuda_driver()
    if driver is None:
        return 0
    status = int(driver.cuInit(0))
    if status in (NO_DEVICE, STUB_LIBRARY):
        return 0
    if status != SUCCESS:
        raise NotMeasuredError(
            f"there is a CUDA driver here, and it does not start (cuInit returns {status}). "
            "`geoaudit doctor` says more."
        )
    count = ctypes.c_int()
    found = int(driver.cuDeviceGetCount(ctypes.byref(count))) == SUCCESS
    return count.value if found else 0


def cuda_major() -> int | None:
    """Major version of CUDA that the driver supports, or None where there is no driver."""
    driver = cuda_driver()
    version = ctypes.c_int()
    if driver is None or driver.cuDriverGetVersion(ctypes.byref(version)) != SUCCESS:
        return None
    return version.value // 1000
