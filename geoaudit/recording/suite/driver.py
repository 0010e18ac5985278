"""The calls of the CUDA driver that launch kernels and capture graphs, by ctypes.

CuPy launches through cuLaunchKernel, which knows no attributes. cuLaunchKernelEx does: clusters
and programmatic dependent launch.
"""

# ruff: noqa: ANN401 - handles and pointers are ctypes' own

import ctypes
from itertools import count
from typing import Any

from geoaudit.errors import NotMeasuredError

Dimensions = tuple[int, int, int]

LIBRARY = "libcuda.so.1"
SUCCESS = 0
INVALID_VALUE = 1
NO_CLUSTER: Dimensions = (1, 1, 1)

# Of cuda.h: CUlaunchAttributeID, CUfunction_attribute, CUstreamCaptureMode.
CLUSTER_DIMENSION = 4
PROGRAMMATIC_STREAM_SERIALIZATION = 6
SHARED_SIZE_BYTES = 1
REGISTERS = 4
MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14
CAPTURE_THREAD_LOCAL = 1


class AttributeValue(ctypes.Union):
    """CUlaunchAttributeValue, as far as it is used here."""

    _fields_ = (
        ("cluster", ctypes.c_uint * 3),
        ("is_programmatic", ctypes.c_int),
        ("size", ctypes.c_uint64 * 8),
    )


class Attribute(ctypes.Structure):
    """CUlaunchAttribute."""

    _fields_ = (("identifier", ctypes.c_int), ("value", AttributeValue))


class LaunchConfiguration(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = (
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared_bytes", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(Attribute)),
        ("attribute_count", ctypes.c_uint),
    )


class CudaDriver:
    """The driver's functions; each refuses what the driver refuses.

    Handles go in and out as integers, and to launches as ``ctypes`` values that were made once.
    """

    def __init__(self, library: Any = None) -> None:
        """Bind the functions.

        Args:
            library: what has them as attributes; by default the driver of this machine.

        Raises:
            NotMeasuredError: there is no driver, or it is older than CUDA 12.
        """
        self._library = library if library is not None else _open_library()
        try:
            # Bound once: a token has more than a thousand launches.
            self.launch_kernel = self._library.cuLaunchKernelEx
        except AttributeError as error:
            raise NotMeasuredError(
                "the CUDA driver has no cuLaunchKernelEx: it is older than CUDA 12. Update it."
            ) from error

    def check(self, status: int, what: str) -> None:
        """Refuse a status that is no success.

        Args:
            status: what a function of the driver returned.
            what: what was to be done, for the message.

        Raises:
            NotMeasuredError: names the driver's error.
        """
        if status != SUCCESS:
            raise NotMeasuredError(f"{what}: the CUDA driver says {self._error_name(status)}.")

    def function_attribute(self, function: int, attribute: int) -> int:
        """An attribute of a kernel."""
        value = ctypes.c_int()
        status = self._library.cuFuncGetAttribute(
            ctypes.byref(value), attribute, ctypes.c_void_p(function)
        )
        self.check(status, "asking for a kernel's attribute")
        return value.value

    def set_function_attribute(self, function: int, attribute: int, value: int, what: str) -> None:
        """Set an attribute of a kernel; what is said of a refusal begins with ``what``."""
        status = self._library.cuFuncSetAttribute(ctypes.c_void_p(function), attribute, value)
        self.check(status, what)

    def parameter_sizes(self, function: int) -> tuple[int, ...] | None:
        """Bytes of each parameter of a kernel, in order.

        Returns:
            None where the driver cannot tell: it is older than CUDA 12.4, or answers with an error
            of something else, as its documentation allows; that will be met where it belongs.
        """
        try:
            ask = self._library.cuFuncGetParamInfo
        except AttributeError:
            return None
        sizes: list[int] = []
        offset, size = ctypes.c_size_t(), ctypes.c_size_t()
        # Asked for one more than there are, as drivers have no count that all of them know: a
        # checker of API errors reports that call.
        for index in count():
            status = ask(
                ctypes.c_void_p(function),
                ctypes.c_size_t(index),
                ctypes.byref(offset),
                ctypes.byref(size),
            )
            if status != SUCCESS:
                break
            sizes.append(size.value)
        # What it says of an index behind the last parameter.
        return tuple(sizes) if status == INVALID_VALUE else None

    def kernel_names(self, module: int) -> list[str] | None:
        """Names of the kernels of a module, mangled ones as they are.

        Returns:
            None where the driver cannot tell: it is older than CUDA 12.4.
        """
        number = ctypes.c_uint()
        try:
            status = self._library.cuModuleGetFunctionCount(
                ctypes.byref(number), ctypes.c_void_p(module)
            )
            self.check(status, "counting the kernels of a module")
            functions = (ctypes.c_void_p * max(1, number.value))()
            status = self._library.cuModuleEnumerateFunctions(
                functions, number, ctypes.c_void_p(module)
            )
            self.check(status, "listing the kernels of a module")
            return [self._name(function or 0) for function in functions[: number.value]]
        except AttributeError:
            return None

    def _name(self, function: int) -> str:
        name = ctypes.c_char_p()
        status = self._library.cuFuncGetName(ctypes.byref(name), ctypes.c_void_p(function))
        self.check(status, "asking for a kernel's name")
        return (name.value or b"").decode("utf-8", "replace")

    def synchronize(self, stream: int) -> None:
        """Wait for all that a stream was given; an error of a kernel shows here."""
        status = self._library.cuStreamSynchronize(ctypes.c_void_p(stream))
        self.check(
            status,
            "waiting for the kernels (where one read or wrote outside its buffers, run it under "
            "compute-sanitizer)",
        )

    def copy(self, target: int, source: int, size_bytes: int, stream: int) -> None:
        """Copy device memory to device memory, and wait for nothing.

        Args:
            target: address.
            source: address.
            size_bytes: how much.
            stream: the driver's handle.
        """
        status = self._library.cuMemcpyDtoDAsync_v2(
            ctypes.c_uint64(target),
            ctypes.c_uint64(source),
            ctypes.c_size_t(size_bytes),
            ctypes.c_void_p(stream),
        )
        self.check(status, f"copying {size_bytes:,} bytes on the device")

    def begin_capture(self, stream: int) -> None:
        """Collect what the stream is given from now on, in place of running it."""
        status = self._library.cuStreamBeginCapture_v2(
            ctypes.c_void_p(stream), CAPTURE_THREAD_LOCAL
        )
        self.check(status, "capturing a token")

    def end_capture(self, stream: int) -> int:
        """The graph of what was collected; the caller destroys it."""
        graph = ctypes.c_void_p()
        status = self._library.cuStreamEndCapture(ctypes.c_void_p(stream), ctypes.byref(graph))
        self.check(status, "capturing a token")
        return int(graph.value or 0)

    def instantiate(self, graph: int) -> int:
        """The executable graph of a graph, which is destroyed; the caller destroys the other."""
        executable = ctypes.c_void_p()
        handle = ctypes.c_void_p(graph)
        status = self._library.cuGraphInstantiateWithFlags(
            ctypes.byref(executable), handle, ctypes.c_uint64(0)
        )
        self._library.cuGraphDestroy(handle)
        self.check(status, "making a CUDA graph of the token")
        return int(executable.value or 0)

    def launch_graph(self, executable: int, stream: int) -> None:
        """Replay a graph on a stream."""
        status = self._library.cuGraphLaunch(ctypes.c_void_p(executable), ctypes.c_void_p(stream))
        self.check(status, "launching the token's graph")

    def destroy_graph(self, executable: int) -> None:
        """Give an executable graph's resources back."""
        self._library.cuGraphExecDestroy(ctypes.c_void_p(executable))

    def _error_name(self, status: int) -> str:
        name = ctypes.c_char_p()
        if self._library.cuGetErrorName(status, ctypes.byref(name)) != SUCCESS or not name.value:
            return f"error {status}"
        return f"{name.value.decode('ascii', 'replace')} ({status})"


def launch_attributes(cluster: Dimensions, *, is_programmatic: bool) -> list[Attribute]:
    """The attributes of a launch.

    Args:
        cluster: blocks of a cluster; (1, 1, 1): none.
        is_programmatic: whether it may begin before the launch ahead of it has ended.
    """
    attributes = []
    if cluster != NO_CLUSTER:
        value = AttributeValue(cluster=(ctypes.c_uint * 3)(*cluster))
        attributes.append(Attribute(identifier=CLUSTER_DIMENSION, value=value))
    if is_programmatic:
        value = AttributeValue(is_programmatic=1)
        attributes.append(Attribute(identifier=PROGRAMMATIC_STREAM_SERIALIZATION, value=value))
    return attributes


def _open_library() -> ctypes.CDLL:
    try:
        return ctypes.CDLL(LIBRARY)
    except OSError as error:
        raise NotMeasuredError(f"there is no CUDA driver here: {error}") from error
