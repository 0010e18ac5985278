"""A kernel with the call of CuPy's RawKernel, launched by the driver with attributes."""

import ctypes
from typing import Any, Protocol

from geoaudit.recording.suite.arguments import PackedArguments
from geoaudit.recording.suite.driver import (
    MAX_DYNAMIC_SHARED_SIZE_BYTES,
    NO_CLUSTER,
    NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
    REGISTERS,
    SHARED_SIZE_BYTES,
    Attribute,
    CudaDriver,
    Dimensions,
    LaunchConfiguration,
    launch_attributes,
)

PORTABLE_CLUSTER_BLOCKS = 8
"""Larger clusters must be allowed, and not every device has them."""


class Stream(Protocol):
    """A stream, as CuPy's: its handle is ``ptr``."""

    @property
    def ptr(self) -> int:
        """The driver's handle."""


class DriverKernel:
    """A kernel that is called as a cupy.RawKernel is, with arguments packed before.

    `geoaudit.recording.wrap` takes it as one: the attributes it reads are here.

    Attributes:
        name: of the kernel in its module.
        enable_cooperative_groups: never; wrap asks.
    """

    enable_cooperative_groups = False

    def __init__(
        self,
        driver: CudaDriver,
        function: int,
        name: str,
        *,
        cluster: Dimensions = NO_CLUSTER,
        is_programmatic: bool = False,
    ) -> None:
        """Prepare launches of a kernel.

        Args:
            driver: launches.
            function: the driver's handle of the kernel.
            name: the kernel's, for messages and ranges.
            cluster: blocks of a cluster; (1, 1, 1): no clusters.
            is_programmatic: whether a launch may begin before the one ahead of it has ended.

        Raises:
            NotMeasuredError: the device has no clusters of this size.
        """
        self.name = name
        self._driver = driver
        self._handle = function
        self._function = ctypes.c_void_p(function)
        self._attributes = launch_attributes(cluster, is_programmatic=is_programmatic)
        # Configurations by what a call gives; the driver reads them in place.
        self._configurations: dict[tuple[object, ...], Any] = {}
        if cluster[0] * cluster[1] * cluster[2] > PORTABLE_CLUSTER_BLOCKS:
            driver.set_function_attribute(
                function,
                NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
                1,
                f"{name}: allowing clusters of {cluster[0] * cluster[1] * cluster[2]} blocks",
            )

    @property
    def num_regs(self) -> int:
        """Registers of a thread."""
        return self._driver.function_attribute(self._handle, REGISTERS)

    @property
    def shared_size_bytes(self) -> int:
        """Static shared memory of a block, bytes."""
        return self._driver.function_attribute(self._handle, SHARED_SIZE_BYTES)

    @property
    def max_dynamic_shared_size_bytes(self) -> int:
        """The most dynamic shared memory that a launch may ask for, bytes; 48 KB unless set."""
        return self._driver.function_attribute(self._handle, MAX_DYNAMIC_SHARED_SIZE_BYTES)

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, value: int) -> None:
        self._driver.set_function_attribute(
            self._handle,
            MAX_DYNAMIC_SHARED_SIZE_BYTES,
            value,
            f"{self.name}: {value:,} bytes of dynamic shared memory for a block, which the device "
            "may not have",
        )

    def __call__(
        self,
        grid: Dimensions,
        block: Dimensions,
        args: PackedArguments,
        *,
        shared_mem: int = 0,
        stream: Stream,
    ) -> None:
        """Launch.

        Args:
            grid: blocks.
            block: threads.
            args: the kernel's arguments.
            shared_mem: dynamic shared memory of a block, bytes.
            stream: what to launch on.

        Raises:
            NotMeasuredError: the driver refuses; names kernel and geometry.
        """
        key = (grid, block, shared_mem, stream.ptr)
        configuration = self._configurations.get(key)
        if configuration is None:
            configuration = self._configured(grid, block, shared_mem, stream.ptr)
            self._configurations[key] = configuration
        status = self._driver.launch_kernel(configuration, self._function, args.pointers, None)
        if status:
            self._driver.check(
                status,
                f"launching {self.name} with grid {grid}, block {block} and {shared_mem:,} bytes "
                "of shared memory",
            )

    def _configured(
        self, grid: Dimensions, block: Dimensions, shared_bytes: int, stream: int
    ) -> Any:  # noqa: ANN401
        count = len(self._attributes)
        return ctypes.pointer(
            LaunchConfiguration(
                grid=(ctypes.c_uint * 3)(*grid),
                block=(ctypes.c_uint * 3)(*block),
                shared_bytes=shared_bytes,
                stream=stream,
                attributes=(Attribute * count)(*self._attributes) if count else None,
                attribute_count=count,
            )
        )
