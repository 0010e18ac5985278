"""Data that comes through an array: whose it is, seen from where it is read."""

from collections.abc import Sequence
from dataclasses import replace

from geoaudit.source_axes.polynomials import Polynomial
from geoaudit.source_axes.values import Array, Source, Value, Write

WARP, LANE = "warp", "lane"
THREADS = (WARP, "threadIdx.y", "threadIdx.z", LANE)


def arrived_value(
    array: Array,
    write: Write,
    place: tuple[Polynomial, ...],
    running: Sequence[str],
    *,
    is_single: bool,
) -> Value:
    """What a write left, as a read finds it.

    Args:
        array: both are of.
        write: what was stored.
        place: where is read.
        running: axes of the loops around the read.
        is_single: everything in the array was stored to one place, seen as an index.
    """
    axes, stored = _axes(place), _axes(write.place)
    moved: set[tuple[str, str]] = set()
    lost: set[str] = set()
    for axis in _relevant(array, write):
        if axis not in stored:
            if axis in THREADS or axis in running:
                lost.add(axis)
        elif axis in axes:
            if not _agree(write.place, place, axis):
                lost.add(axis)
        elif is_single and len(write.place) == len(place) and write.place[0] == place[0]:
            targets = " ".join(sorted(axes - stored))
            moved.add((axis, targets or f"[{place[-1]}]" if not axes else targets))
        else:
            lost.add(axis)
    lost |= {axis for axis, target in moved if not target}
    kept = frozenset(one for one in moved if one[1])
    return write.value.mapped(lambda source: _transferred(source, kept, frozenset(lost)))


def _relevant(array: Array, write: Write) -> list[str]:
    """Axes of which other coordinates may have written what a read finds."""
    axes = _axes(write.place) | write.value.index.axes | _source_axes(write.value)
    return sorted(
        axis
        for axis in axes
        if (array.is_shared or axis not in THREADS) and axis not in array.loops
    )


def _axes(place: tuple[Polynomial, ...]) -> frozenset[str]:
    return frozenset().union(*(one.axes for one in place))


def _agree(one: tuple[Polynomial, ...], other: tuple[Polynomial, ...], axis: str) -> bool:
    """Whether two places of an array lie at the same coordinate of an axis."""
    if len(one) != len(other) or one[0] != other[0]:
        return False
    return all(a == b for a, b in zip(one, other, strict=True) if axis in a.axes | b.axes)


def _source_axes(value: Value) -> frozenset[str]:
    return frozenset().union(*(one.index.axes for one in value.sources))


def _transferred(source: Source, moved: frozenset[tuple[str, str]], lost: frozenset[str]) -> Source:
    """A source whose data another coordinate put there.

    A partial result that is moved waits for being combined; raw data that is moved is only read
    from another place, and whose it is stays open.
    """
    is_partial = bool(source.combined)
    now = {one for one in moved if one[0] in source.index.axes and one[0] not in source.combined}
    gone = {axis for axis in lost if axis in source.index.axes and axis not in source.combined}
    if not is_partial:
        return replace(source, lost=source.lost | gone | {axis for axis, _ in now})
    return replace(source, moved=source.moved | now, lost=source.lost | gone)
