"""What splitting along an axis would cost, from a kernel's accesses."""

from collections.abc import Iterable
from dataclasses import dataclass

from geoaudit.source_axes.arrays import LANE, THREADS
from geoaudit.source_axes.loops import same_range
from geoaudit.source_axes.machine import Access, Machine
from geoaudit.source_axes.values import Source


@dataclass(frozen=True, kw_only=True)
class SourceAnswer:
    """One answer, with the line it rests on.

    Attributes:
        value: None: cannot tell.
        line: of the source, from 1; None: no single one.
        reason: why it cannot be told; empty otherwise.
    """

    value: bool | None
    line: int | None = None
    reason: str = ""

    @property
    def rank(self) -> int:
        """Order from good to bad: no, cannot tell, yes."""
        return 1 if self.value is None else 2 * self.value


@dataclass(frozen=True, kw_only=True)
class AxisAnswers:
    """What splitting one axis over more blocks would cost.

    Attributes:
        axis: in words; empty: no axis could be told.
        cross_block_reduction, duplicated_reads, layout_change: as in `SplitProperties`.
    """

    axis: str
    cross_block_reduction: SourceAnswer
    duplicated_reads: SourceAnswer
    layout_change: SourceAnswer

    @property
    def ranks(self) -> tuple[int, int, int]:
        """Order from good to bad, a reduction being worst."""
        return (
            self.cross_block_reduction.rank,
            self.duplicated_reads.rank,
            self.layout_change.rank,
        )


def all_unknown(reason: str, line: int | None) -> AxisAnswers:
    """Three times cannot tell."""
    answer = SourceAnswer(value=None, line=line, reason=reason)
    return AxisAnswers(
        axis="", cross_block_reduction=answer, duplicated_reads=answer, layout_change=answer
    )


def answers_of(machine: Machine) -> list[AxisAnswers]:
    """The answers for each axis that accesses to memory vary with, threads first."""
    accesses = list(dict.fromkeys(machine.accesses))
    met = frozenset().union(*(one.index.axes for one in accesses))
    loops = sorted(met - set(THREADS), key=lambda one: machine.seen[one].line)
    axes = [one for one in (*THREADS[:-1], *loops, LANE) if one in met]
    stores = [one for one in accesses if one.stored is not None]
    return [
        AxisAnswers(
            axis=_words(machine, axis),
            cross_block_reduction=_worst(
                _reduction(machine, accesses, store, axis) for store in stores
            ),
            duplicated_reads=_duplicated(machine, accesses, axis),
            layout_change=_layout(accesses, axis),
        )
        for axis in axes
    ]


def _words(machine: Machine, axis: str) -> str:
    if axis in THREADS:
        return {"warp": "the warps of a block", LANE: "the lanes of a warp"}.get(axis, axis)
    loop = machine.seen[axis]
    return f"the loop over {loop.variable} in line {loop.line}"


def _worst(answers: Iterable[SourceAnswer]) -> SourceAnswer:
    return max(answers, key=lambda one: one.rank)


def _reduction(machine: Machine, accesses: list[Access], store: Access, axis: str) -> SourceAnswer:
    """Whether one store needs what blocks of other coordinates compute."""
    assert store.stored is not None
    sources = store.stored.sources
    if axis not in store.index.axes:
        return _result_of_all(store, sources, axis)
    if any(axis in one.chained for one in sources):
        return SourceAnswer(value=True, line=store.line)
    reason = _scattered(machine, accesses, store, axis)
    own = [one for one in sources if one.is_own(axis)]
    for source in sources:
        if axis in source.combined or _covers(machine, source, own, axis):
            if any(one.pointer == source.pointer for one in own):
                return SourceAnswer(value=True, line=store.line)
            reason = reason or f"a combined {source.pointer} could also be computed by every block"
        elif not source.is_own(axis) and axis in source.index.axes:
            reason = reason or f"whose {source.pointer} is used is not followed"
        elif axis not in source.index.axes and source.combined and _is_shared(source, own):
            reason = reason or f"how much of {source.pointer} is combined is not followed"
    if reason:
        return SourceAnswer(value=None, line=store.line, reason=reason)
    return SourceAnswer(value=False, line=store.line)


def _is_shared(source: Source, own: list[Source]) -> bool:
    return any(one.pointer == source.pointer for one in own)


def _result_of_all(store: Access, sources: frozenset[Source], axis: str) -> SourceAnswer:
    """For a store whose place does not vary with the axis."""
    if any(axis in one.combined | one.chained for one in sources):
        return SourceAnswer(value=True, line=store.line)
    followed = all(axis not in one.index.axes or one.is_own(axis) for one in sources)
    assert store.stored is not None
    varies = axis in store.stored.index.axes or any(axis in one.index.axes for one in sources)
    if followed and (axis in store.pinned or not varies):
        return SourceAnswer(value=False, line=store.line)
    reason = "the place of the store does not vary with it and what is stored may"
    return SourceAnswer(value=None, line=store.line, reason=reason)


def _covers(machine: Machine, source: Source, own: list[Source], axis: str) -> bool:
    """Whether a source combines, by another loop, all that the axis runs over."""
    loops = machine.seen
    if axis not in loops or axis in source.index.axes:
        return False
    return any(
        same_range(loops[axis], one.index, loops[other], source.index)
        for one in own
        if (one.pointer, one.unit) == (source.pointer, source.unit)
        for other in source.combined & source.index.axes
        if other in loops
    )


def _scattered(machine: Machine, accesses: list[Access], store: Access, axis: str) -> str:
    """Why coordinates of an axis may meet in one element; empty: they do not."""
    index = store.index
    if not index.is_linear_in(axis):
        return "the place of the store is not a plain multiple of it"
    others = [one for one in index.axes if one in machine.seen and one != axis]
    factor = index.factor_of(axis)
    if factor is not None and any(abs(index.factor_of(one) or 0) == abs(factor) for one in others):
        return "two loops may meet in one element"
    again = [
        one
        for one in accesses
        if one.pointer == store.pointer and one.stored is None and not one.excludes(store)
    ]
    if not again:
        return ""
    if any((one.unit, one.index) != (store.unit, index) for one in again):
        return f"{store.pointer} is also read at other places than it is written"
    if axis in machine.seen and others:
        return f"{store.pointer} is read and written in more than one loop"
    return f"{store.pointer} is read and written around a barrier" * machine.has_barrier_in_loop


def _duplicated(machine: Machine, accesses: list[Access], axis: str) -> SourceAnswer:
    """Whether blocks would read as much again as there is to split."""
    loads = [one for one in accesses if one.stored is None]
    main = [one for one in accesses if one.index.is_linear_in(axis) and axis not in one.pinned]
    if not main:
        return SourceAnswer(value=None, reason="nothing is read or written along it")
    largest = max(main, key=lambda one: len(_extent(one)))
    for load in loads:
        if load in main:
            continue
        is_apart = axis not in load.index.axes or axis in load.pinned
        if is_apart and any(_extent(load) < _extent(one) for one in main):
            continue
        if is_apart and _ranges(machine, load) == _ranges(machine, largest):
            return SourceAnswer(value=True, line=load.line)
        reason = f"how large {load.pointer} is beside {largest.pointer}"
        return SourceAnswer(value=None, line=load.line, reason=reason)
    return SourceAnswer(value=False, line=largest.line)


def _extent(access: Access) -> frozenset[str]:
    """The axes that an access varies with, as far as more than one coordinate does it."""
    return access.index.axes - access.pinned


def _ranges(machine: Machine, access: Access) -> tuple[str, ...]:
    """What an access runs over: ends of loops, and threads that share no loop."""
    loops = [machine.seen[one] for one in _extent(access) if one in machine.seen]
    shared = frozenset().union(*(one.first.axes for one in loops))
    threads = _extent(access) - shared - set(machine.seen)
    return tuple(sorted([*(one.bound for one in loops), *threads]))


def _layout(accesses: list[Access], axis: str) -> SourceAnswer:
    """Whether a block would be left with pieces of what is contiguous now."""
    along = [one for one in accesses if axis in one.index.axes]
    by_lanes = [one for one in along if LANE in _extent(one)]
    strided = [one for one in by_lanes if one.index.factor_of(LANE) != 1]
    if by_lanes and not strided:
        return SourceAnswer(value=False, line=by_lanes[0].line)
    for one in strided:
        is_inner = axis not in THREADS and one.index.factor_of(axis) in (1, -1)
        if is_inner and one.index.is_linear_in(LANE):
            return SourceAnswer(value=True, line=one.line)
    line = next((one.line for one in (*strided, *along)), None)
    return SourceAnswer(value=None, line=line, reason="which elements neighbouring threads take")
