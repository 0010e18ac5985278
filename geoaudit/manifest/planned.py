"""A planned step: every launch of one token with all that it needs, worked out."""

from collections.abc import Mapping
from dataclasses import dataclass

from geoaudit.manifest.arithmetic import Number
from geoaudit.manifest.data_types import BYTES_PER_ELEMENT, INTEGER_RANGES, RANGES
from geoaudit.manifest.formula import Formula
from geoaudit.manifest.location import Location
from geoaudit.manifest.model import TOKEN, BufferKind, CodeKind, InitKind, Split

Dimensions = tuple[int, int, int]


@dataclass(frozen=True, kw_only=True)
class BufferUse:
    """A copy of a buffer, passed by its address.

    Attributes:
        buffer: its name.
        copy: which copy, from 0.
    """

    buffer: str
    copy: int


@dataclass(frozen=True, kw_only=True)
class Scalar:
    """A number passed by value.

    Attributes:
        dtype: its data type, one of ``data_types.SCALARS``.
        value: at token 0.
        formula: of the token alone, or None: the same at every token.
        location: where it is written.
    """

    dtype: str
    value: Number
    formula: Formula | None
    location: Location

    @property
    def depends_on_token(self) -> bool:
        """Whether later tokens may have another value."""
        return self.formula is not None

    def value_at(self, token: int) -> Number:
        """The value at a token.

        Args:
            token: of the run, from 0.

        Raises:
            ManifestError: it cannot be worked out, or does not fit the data type.
        """
        if self.formula is None:
            return self.value
        return fitting(self.formula.value({TOKEN: token}), self.dtype, self.location)


Argument = BufferUse | Scalar


@dataclass(frozen=True, kw_only=True)
class ModuleKey:
    """What is compiled or loaded once, whichever kernels of it are launched.

    Attributes:
        kind: ``source`` for CUDA C++, or a ready binary.
        file: its path, from the same place as the manifest's own.
        options: compile options, in order.
        defines: macros with their values, sorted.
    """

    kind: CodeKind
    file: str
    options: tuple[str, ...]
    defines: tuple[tuple[str, int], ...]


@dataclass(frozen=True, kw_only=True)
class Module:
    """A module with what is launched of it.

    Attributes:
        key: what to compile or load.
        entries: names of its kernels, sorted; one with ``<`` is a template instance.
    """

    key: ModuleKey
    entries: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class LaunchShape:
    """What the launches of a kernel have in common. None: the manifest does not say.

    Attributes:
        kernel: its name in the manifest.
        entry: its name in the module.
        module: where it comes from.
        grid: blocks.
        block: threads.
        cluster: blocks; (1, 1, 1): no clusters.
        shared_bytes: dynamic shared memory of a block.
        programmatic_launch: whether it may begin before the launch ahead of it has ended.
        bytes_read: compulsory bytes of one launch.
        bytes_written: compulsory bytes of one launch.
        working_threads: threads of a block that do work.
        bytes_in_flight_per_thread: bytes of loads that a thread has outstanding.
    """

    kernel: str
    entry: str
    module: ModuleKey
    grid: Dimensions
    block: Dimensions
    cluster: Dimensions
    shared_bytes: int
    programmatic_launch: bool
    bytes_read: int | None
    bytes_written: int | None
    working_threads: int | None
    bytes_in_flight_per_thread: int | None


@dataclass(frozen=True, kw_only=True)
class PlannedLaunch:
    """One launch of a token.

    Attributes:
        shape: kernel and geometry.
        arguments: in the kernel's order.
        arguments_location: where they are listed.
        inputs: what it reads, as far as the manifest says.
        outputs: what it writes, as far as the manifest says.
        ranges: names of the NVTX ranges around it, outermost first.
        layer: how many launches of the kernel the token lists before it.
    """

    shape: LaunchShape
    arguments: tuple[Argument, ...]
    arguments_location: Location
    inputs: tuple[BufferUse, ...]
    outputs: tuple[BufferUse, ...]
    ranges: tuple[str, ...]
    layer: int


@dataclass(frozen=True, kw_only=True)
class PlannedRange:
    """One NVTX range: it opens before the launch ``first`` and closes before ``stop``.

    Attributes:
        name: its name.
        first: index of the first launch in it.
        stop: index after that of the last launch in it.
        depth: how many ranges are around it.
    """

    name: str
    first: int
    stop: int
    depth: int


@dataclass(frozen=True, kw_only=True)
class PlannedAllReduce:
    """A sum over the ranks of a run, in place, inside the ranges of the launch ahead of it.

    Attributes:
        buffer: its name; it has one copy.
        after: index of the launch ahead of it.
    """

    buffer: str
    after: int


@dataclass(frozen=True, kw_only=True)
class PlannedBuffer:
    """Device memory to allocate and fill.

    Attributes:
        name: of the buffer.
        dtype: its data type, one of ``data_types.BYTES_PER_ELEMENT``.
        elements: elements of one copy.
        copies: how many copies.
        init: how each is filled.
        init_figures: ``scale``, ``low``, ``high`` or ``value`` of the filling.
        kind: what it is for.
    """

    name: str
    dtype: str
    elements: int
    copies: int
    init: InitKind
    init_figures: Mapping[str, float]
    kind: BufferKind

    @property
    def bytes_per_copy(self) -> int:
        """Bytes of one copy."""
        return self.elements * BYTES_PER_ELEMENT[self.dtype]

    @property
    def bytes(self) -> int:
        """Bytes of all copies."""
        return self.bytes_per_copy * self.copies


@dataclass(frozen=True, kw_only=True)
class PlannedKernel:
    """What the manifest says of a kernel that is launched, whatever the launch.

    Attributes:
        split: what splitting its grid costs, or None: not said.
        source: file of its code, from the manifest's folder; None: a ready binary.
    """

    split: Split | None
    source: str | None


@dataclass(frozen=True, kw_only=True)
class StepPlan:
    """One token of a step, worked out.

    Attributes:
        step: its name.
        arms: every arm -> its value; 0: off.
        symbols: symbol -> value, but for those that depend on the token.
        launches: in order.
        ranges: by first launch, outer ones first.
        all_reduces: in order; none is made where one rank runs alone.
        modules: what to compile or load, in order of first use.
        buffers: all that the step can touch under any arm, in the manifest's order.
        kernels: those that are launched, by name, in order of first use.
    """

    step: str
    arms: Mapping[str, int]
    symbols: Mapping[str, int]
    launches: tuple[PlannedLaunch, ...]
    ranges: tuple[PlannedRange, ...]
    all_reduces: tuple[PlannedAllReduce, ...]
    modules: tuple[Module, ...]
    buffers: tuple[PlannedBuffer, ...]
    kernels: Mapping[str, PlannedKernel]

    @property
    def device_bytes(self) -> int:
        """Bytes of all buffers."""
        return sum(buffer.bytes for buffer in self.buffers)

    @property
    def depends_on_token(self) -> bool:
        """Whether a scalar may change between tokens; a captured graph would repeat the first."""
        return any(
            isinstance(argument, Scalar) and argument.depends_on_token
            for launch in self.launches
            for argument in launch.arguments
        )


def fitting(value: Number, dtype: str, location: Location) -> Number:
    """A number in its data type: an integer in range, or a float.

    Raises:
        ManifestError: the data type does not hold it.
    """
    is_integer = dtype in INTEGER_RANGES
    if is_integer and value != int(value):
        raise location.error(f"is {value}, but {dtype} holds whole numbers; round it")
    smallest, largest = RANGES[dtype]
    if not smallest <= value <= largest:
        raise location.error(f"is {value}, beyond {dtype}; choose a larger type")
    return value if is_integer else float(value)
