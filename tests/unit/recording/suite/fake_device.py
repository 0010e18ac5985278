"""A driver and a runtime that do what they are told to nothing, and keep a record of it."""

# ruff: noqa: ANN401, N802 - the driver's own names, and ctypes' own values

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from geoaudit.manifest.planned import Module
from geoaudit.recording.suite.driver import CudaDriver, LaunchConfiguration
from geoaudit.recording.suite.filling import ENTRY as FILL
from geoaudit.recording.suite.runtime import CompiledModule

STREAM = 7
GRAPH = 500
EXECUTABLE = 600


@dataclass(frozen=True, kw_only=True)
class Launched:
    """What cuLaunchKernelEx was given, read where the driver reads it.

    Attributes:
        function: handle.
        grid, block: as configured.
        shared_bytes, stream: as configured.
        attributes: identifier -> cluster, or whether it is programmatic.
        arguments: the first 8 bytes of each argument that `argument_count` names.
    """

    function: int
    grid: tuple[int, ...]
    block: tuple[int, ...]
    shared_bytes: int
    stream: int
    attributes: dict[int, tuple[int, ...]]
    arguments: tuple[bytes, ...]


@dataclass(kw_only=True)
class FakeLibrary:
    """The functions of libcuda that the suite calls.

    Attributes:
        calls: name of each function with its plain arguments, in order.
        launches: launches, captured ones too.
        status: function -> what it returns in place of success.
        argument_counts: handle -> how many arguments its launches have.
        limits: handle -> largest dynamic shared memory, as set.
        parameters: handle -> bytes of each parameter; of others the driver cannot tell.
        kernels: names of a module's kernels, whose handles are their places from 1.
    """

    calls: list[tuple[Any, ...]] = field(default_factory=list)
    launches: list[Launched] = field(default_factory=list)
    status: dict[str, int] = field(default_factory=dict)
    argument_counts: dict[int, int] = field(default_factory=dict)
    limits: dict[int, int] = field(default_factory=dict)
    parameters: dict[int, tuple[int, ...]] = field(default_factory=dict)
    kernels: list[str] = field(default_factory=list)

    def _result(self, name: str, *arguments: Any) -> int:
        self.calls.append((name, *arguments))
        return self.status.get(name, 0)

    def cuLaunchKernelEx(
        self,
        configuration: Any,
        function: Any,
        pointers: Any,
        extra: Any,
    ) -> int:
        """Read the launch."""
        assert extra is None
        one: LaunchConfiguration = configuration.contents
        attributes = {}
        for place in range(one.attribute_count):
            attribute = one.attributes[place]
            is_cluster = attribute.identifier == 4
            value = attribute.value
            attributes[attribute.identifier] = (
                tuple(value.cluster) if is_cluster else (value.is_programmatic,)
            )
        count = self.argument_counts.get(function.value, 0)
        self.launches.append(
            Launched(
                function=function.value,
                grid=tuple(one.grid),
                block=tuple(one.block),
                shared_bytes=one.shared_bytes,
                stream=one.stream,
                attributes=attributes,
                arguments=tuple(ctypes.string_at(pointers[place], 8) for place in range(count)),
            )
        )
        return self._result("cuLaunchKernelEx", function.value)

    def cuFuncGetAttribute(self, value: Any, attribute: int, function: Any) -> int:
        """48 KB of dynamic shared memory unless set; else 10 times the attribute's number."""
        limit = self.limits.get(function.value, 48 << 10)
        value._obj.value = limit if attribute == 8 else 10 * attribute
        return self._result("cuFuncGetAttribute", attribute, function.value)

    def cuFuncSetAttribute(self, function: Any, attribute: int, value: int) -> int:
        """Keep a limit of shared memory."""
        if attribute == 8:
            self.limits[function.value] = value
        return self._result("cuFuncSetAttribute", function.value, attribute, value)

    def cuFuncGetParamInfo(self, function: Any, index: Any, offset: Any, size: Any) -> int:
        """Offset and size of a parameter; an invalid value behind the last one."""
        if function.value not in self.parameters:
            return 700
        sizes = self.parameters[function.value]
        if index.value >= len(sizes):
            return 1
        offset._obj.value, size._obj.value = sum(sizes[: index.value]), sizes[index.value]
        return 0

    def cuModuleGetFunctionCount(self, count: Any, module: Any) -> int:
        """How many kernels."""
        count._obj.value = len(self.kernels)
        return self._result("cuModuleGetFunctionCount", module.value)

    def cuModuleEnumerateFunctions(self, functions: Any, count: Any, module: Any) -> int:
        """Their handles."""
        functions[: count.value] = range(1, count.value + 1)
        return self._result("cuModuleEnumerateFunctions", module.value)

    def cuFuncGetName(self, name: Any, function: Any) -> int:
        """A kernel's name."""
        name._obj.value = self.kernels[function.value - 1].encode()
        return self._result("cuFuncGetName", function.value)

    def cuStreamSynchronize(self, stream: Any) -> int:
        """Nothing to wait for."""
        return self._result("cuStreamSynchronize", stream.value)

    def cuMemcpyDtoDAsync_v2(self, target: Any, source: Any, size: Any, stream: Any) -> int:
        """Noted."""
        return self._result("cuMemcpyDtoDAsync", target.value, source.value, size.value)

    def cuStreamBeginCapture_v2(self, stream: Any, mode: int) -> int:
        """Launches go on being noted."""
        return self._result("cuStreamBeginCapture", stream.value, mode)

    def cuStreamEndCapture(self, stream: Any, graph: Any) -> int:
        """Always the same graph."""
        graph._obj.value = GRAPH
        return self._result("cuStreamEndCapture", stream.value)

    def cuGraphInstantiateWithFlags(self, executable: Any, graph: Any, flags: Any) -> int:
        """Always the same executable."""
        executable._obj.value = EXECUTABLE
        return self._result("cuGraphInstantiate", graph.value, flags.value)

    def cuGraphDestroy(self, graph: Any) -> int:
        """Noted."""
        return self._result("cuGraphDestroy", graph.value)

    def cuGraphLaunch(self, executable: Any, stream: Any) -> int:
        """Noted."""
        return self._result("cuGraphLaunch", executable.value, stream.value)

    def cuGraphExecDestroy(self, executable: Any) -> int:
        """Noted."""
        return self._result("cuGraphExecDestroy", executable.value)

    def cuGetErrorName(self, status: int, name: Any) -> int:
        """Names of two errors."""
        known = {1: b"CUDA_ERROR_INVALID_VALUE", 700: b"CUDA_ERROR_ILLEGAL_ADDRESS"}
        name._obj.value = known.get(status)
        return 0 if status in known else 1

    def names(self, *kinds: str) -> list[str]:
        """Names of the calls of these functions, in order."""
        return [call[0] for call in self.calls if call[0] in kinds]


@dataclass(frozen=True, kw_only=True)
class FakeMemory:
    """Memory with an address and nothing behind it."""

    ptr: int
    size_bytes: int


@dataclass(frozen=True, kw_only=True)
class FakeStream:
    """A stream that is a number."""

    ptr: int = STREAM


class FakeRuntime:
    """A device with as much memory as it is given.

    Attributes:
        library: what its driver calls.
        loaded: modules, in order.
        handles: entry -> handle.
        parameters: entry -> bytes of each parameter, for its driver to tell.
        allocations: in order.
        code: file -> its machine code, for what is compiled.
        compilations: how often code was asked for.
    """

    def __init__(self, free_bytes: int = 1 << 40) -> None:
        self.library = FakeLibrary()
        self.driver = CudaDriver(self.library)
        self.stream = FakeStream()
        self.loaded: list[Module] = []
        self.handles: dict[str, int] = {}
        self.parameters: dict[str, tuple[int, ...]] = {}
        self.allocations: list[FakeMemory] = []
        self._free_bytes = free_bytes
        self.code: dict[str, CompiledModule] = {}
        self.compilations = 0

    def compiler(self) -> str:
        """Always the same."""
        return "a compiler"

    def compiled(self, module: Module) -> CompiledModule | None:
        """What it was given."""
        self.compilations += 1
        return self.code.get(module.key.file)

    def load(self, module: Module) -> Mapping[str, int]:
        """Handles from 100 on."""
        self.loaded.append(module)
        for entry in module.entries:
            handle = self.handles.setdefault(entry, 100 + len(self.handles))
            if entry in self.parameters:
                self.library.parameters[handle] = self.parameters[entry]
        self.library.argument_counts.setdefault(self.handles.get(FILL, 0), 7)
        return {entry: self.handles[entry] for entry in module.entries}

    def allocate(self, size_bytes: int) -> FakeMemory:
        """Addresses that do not overlap."""
        memory = FakeMemory(ptr=(len(self.allocations) + 1) << 32, size_bytes=size_bytes)
        self.allocations.append(memory)
        return memory

    def free_bytes(self) -> int:
        """As given."""
        return self._free_bytes

    def launches_of(self, entry: str) -> list[Launched]:
        """Launches of a kernel, in order."""
        return [one for one in self.library.launches if one.function == self.handles[entry]]

    def entries(self) -> list[str]:
        """Kernels launched, in order, fillings left out."""
        names = {handle: entry for entry, handle in self.handles.items()}
        launched = [names[one.function] for one in self.library.launches]
        return [name for name in launched if name != FILL]


class FakeRanges:
    """Keeps what is opened and closed, among what else it is told."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def push(self, name: str) -> None:
        """Note it."""
        self.events.append(f"+{name}")

    def pop(self) -> None:
        """Note it."""
        self.events.append("-")
