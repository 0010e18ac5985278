"""What a manifest says, read and checked: symbols, arms, buffers, kernels and steps."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from geoaudit.manifest.arguments import ArgumentList, BufferArgument
from geoaudit.manifest.formula import Formula
from geoaudit.manifest.location import Location

ArmClass = Literal["bit-identical", "reassociates", "approximate"]
BufferKind = Literal["weight", "state", "scratch", "output"]
InitKind = Literal["zeros", "ones", "normal", "uniform", "constant", "iota"]
CodeKind = Literal["source", "cubin", "fatbin", "ptx"]

TOKEN = "token"
LAYER = "layer"
RESERVED_SYMBOLS = (TOKEN, LAYER)
"""Symbols that every launch knows: token of the run, and launch of the kernel in the token."""


@dataclass(frozen=True, kw_only=True)
class Arm:
    """A way of launching that can be switched on.

    Attributes:
        name: also the symbol that is 0 while it is off, and its value while it is on.
        location: where it is declared.
        arm_class: what it does to the outputs' bytes.
        reason: one sentence.
        values: values it may have while on; the first is the usual one.
        inert: where it changes nothing, or None.
        excludes: arms it is never on together with, those that exclude it included.
        in_all: whether ``--all-arms`` switches it on.
    """

    name: str
    location: Location
    arm_class: ArmClass
    reason: str
    values: tuple[int, ...]
    inert: str | None
    excludes: frozenset[str]
    in_all: bool


@dataclass(frozen=True, kw_only=True)
class Buffer:
    """Device memory, allocated once.

    Attributes:
        name: what kernels call it.
        dtype: its data type, one of ``data_types.BYTES_PER_ELEMENT``.
        elements: elements of one copy.
        copies: how many of it the launches of a token rotate through.
        init: how it is filled.
        init_figures: ``scale``, ``low``, ``high`` or ``value`` of the filling, all there is.
        kind: what it is for; a state is restored before a comparison.
    """

    name: str
    dtype: str
    elements: Formula
    copies: Formula
    init: InitKind
    init_figures: Mapping[str, Formula]
    kind: BufferKind


@dataclass(frozen=True, kw_only=True)
class Code:
    """Where the machine code of a kernel comes from.

    Attributes:
        kind: ``source`` for CUDA C++, or a ready binary.
        file: its path, from the same place as the manifest's own.
        location: where it is named.
        options: compile options, in order; none for a binary.
        defines: macro -> its value; none for a binary.
    """

    kind: CodeKind
    file: str
    location: Location
    options: tuple[str, ...]
    defines: Mapping[str, Formula]


@dataclass(frozen=True, kw_only=True)
class EntryName:
    """Name of a kernel in its module, perhaps with values between the parts.

    Attributes:
        texts: the fixed parts, one more than there are formulas.
        formulas: what stands between them.
    """

    texts: tuple[str, ...]
    formulas: tuple[Formula, ...]


@dataclass(frozen=True, kw_only=True)
class LaunchRecipe:
    """How a kernel is launched, which arms may change. None: not said.

    Attributes:
        entry: its name in the module.
        enabled: whether it is launched at all.
        grid: blocks, 1 to 3 dimensions.
        block: threads, 1 to 3 dimensions.
        cluster: blocks, 1 to 3 dimensions; empty: no clusters.
        shared_bytes: dynamic shared memory of a block.
        programmatic_launch: whether it may begin before the launch ahead of it has ended.
        arguments: what it is passed.
        inputs: buffers it reads.
        outputs: buffers it writes.
        bytes_read: compulsory bytes of one launch.
        bytes_written: compulsory bytes of one launch.
        working_threads: threads of a block that do work.
        bytes_in_flight_per_thread: bytes of loads that a thread has outstanding.
    """

    entry: EntryName
    enabled: Formula | None
    grid: tuple[Formula, ...]
    block: tuple[Formula, ...]
    cluster: tuple[Formula, ...]
    shared_bytes: Formula | None
    programmatic_launch: Formula | None
    arguments: ArgumentList
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    bytes_read: Formula | None
    bytes_written: Formula | None
    working_threads: Formula | None
    bytes_in_flight_per_thread: Formula | None

    @property
    def buffers(self) -> frozenset[str]:
        """Names of the buffers it is passed, before a launch binds others."""
        return frozenset(
            argument.buffer
            for argument in self.arguments.entries
            if isinstance(argument, BufferArgument)
        )


@dataclass(frozen=True, kw_only=True)
class KernelArm:
    """What an arm changes of a kernel.

    Attributes:
        changed: the fields of the recipe that it gives anew.
        recipe: the kernel's recipe with this arm alone.
    """

    changed: frozenset[str]
    recipe: LaunchRecipe


@dataclass(frozen=True, kw_only=True)
class Split:
    """What splitting the grid costs.

    Attributes:
        cross_block_reduction: blocks must combine their results.
        duplicated_reads: blocks read the same bytes.
        layout_change: the data must lie differently.
    """

    cross_block_reduction: bool
    duplicated_reads: bool
    layout_change: bool


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """A kernel and how it is launched.

    Attributes:
        name: what launches call it.
        location: where it is declared.
        code: its source or binary.
        parameters: symbols of its own that every launch sets.
        symbols: symbols of its own that follow from others; a launch may set them.
        recipe: how it is launched with every arm off.
        arms: arm -> what it changes.
        reference: function that computes the same in float64, or None.
        tolerance: largest relative difference from the reference, or None.
        split: what splitting its grid costs, or None: not said.
    """

    name: str
    location: Location
    code: Code
    parameters: tuple[str, ...]
    symbols: Mapping[str, Formula]
    recipe: LaunchRecipe
    arms: Mapping[str, KernelArm]
    reference: str | None
    tolerance: float | None
    split: Split | None

    @property
    def recipes(self) -> tuple[LaunchRecipe, ...]:
        """The recipe with every arm off, and that of each arm alone."""
        return (self.recipe, *(arm.recipe for arm in self.arms.values()))


@dataclass(frozen=True, kw_only=True)
class Launch:
    """One launch of a step.

    Attributes:
        kernel: which.
        location: where it is listed.
        sets: symbol -> its value in this launch.
        binds: buffer of the kernel's arguments -> the buffer to pass instead.
    """

    kernel: str
    location: Location
    sets: Mapping[str, Formula]
    binds: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class AllReduce:
    """A sum over the ranks of a run, in place; nothing where there is one rank.

    Attributes:
        location: where it is listed.
        buffer: whose elements are summed.
    """

    location: Location
    buffer: str


@dataclass(frozen=True, kw_only=True)
class Segment:
    """Launches and segments, one after another, perhaps repeated.

    Attributes:
        location: where it is listed.
        repeat: how often, or None: once.
        range: name of the NVTX range around each repetition; empty: none.
        sets: symbol -> its value in all that it holds.
        members: what it holds, in order.
    """

    location: Location
    repeat: Formula | None
    range: str
    sets: Mapping[str, Formula]
    members: "tuple[Segment | Launch | AllReduce, ...]"


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """A manifest, complete and consistent.

    Attributes:
        file: its path, as given.
        name: its title.
        default_step: the step that runs where none is named.
        ranks_symbol: the symbol that is worth the number of ranks of a run; None: none is.
        symbols: name -> formula, each after those it uses.
        arms: name -> arm, in the manifest's order, as all that follow.
        buffers: name -> buffer.
        kernels: name -> kernel.
        steps: name -> the segment that is one token.
        requirements: conditions that its symbols and arms must meet.
    """

    file: str
    name: str
    default_step: str
    ranks_symbol: str | None
    symbols: Mapping[str, Formula]
    arms: Mapping[str, Arm]
    buffers: Mapping[str, Buffer]
    kernels: Mapping[str, Kernel]
    steps: Mapping[str, Segment]
    requirements: tuple[Formula, ...] = ()
