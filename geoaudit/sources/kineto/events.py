"""Typed decoding of trace events, in batches, keeping only what the audit needs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import compress
from typing import Annotated, TypeVar

import msgspec

from geoaudit.errors import InputError

KERNEL_CATEGORIES = frozenset({"kernel", "Kernel"})
COPY_CATEGORIES = frozenset({"gpu_memcpy", "Memcpy"})
SET_CATEGORIES = frozenset({"gpu_memset", "Memset"})
API_CATEGORIES = frozenset({"cuda_runtime", "Runtime", "cuda_driver"})
RANGE_CATEGORIES = frozenset({"user_annotation"})
GPU_RANGE_CATEGORIES = frozenset({"gpu_user_annotation"})
ACTIVITY_CATEGORIES = KERNEL_CATEGORIES | COPY_CATEGORIES | SET_CATEGORIES
_WANTED = ACTIVITY_CATEGORIES | API_CATEGORIES | RANGE_CATEGORIES | GPU_RANGE_CATEGORIES

_BATCH_EVENTS = 20_000
# Times of more than 146 years, or less than that before 1970, are no times; 2**62 ns.
_LARGEST_MICROSECONDS = 2**62 // 1000

Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
T = TypeVar("T")


class Arguments(msgspec.Struct, gc=False, frozen=True):
    """What the audit needs of an event's ``args``.

    Kineto's own occupancy is left out on purpose: it is rounded, and false above 48 KB of shared
    memory.
    """

    device: Int64 | None = None
    context: Int64 | None = None
    stream: Int64 | str | None = None
    correlation: Int64 | None = None
    kind: str | None = None
    registers: Int64 | None = msgspec.field(default=None, name="registers per thread")
    shared_bytes: Int64 | None = msgspec.field(default=None, name="shared memory")
    blocks_per_sm: float | None = msgspec.field(default=None, name="blocks per SM")
    warps_per_sm: float | None = msgspec.field(default=None, name="warps per SM")
    grid: list[int] | None = None
    block: list[int] | None = None
    bytes: Int64 | None = None
    graph_id: Int64 | None = msgspec.field(default=None, name="graph id")
    graph_node_id: Int64 | None = msgspec.field(default=None, name="graph node id")


NO_ARGUMENTS = Arguments()


class Event(msgspec.Struct, gc=False, frozen=True):
    """One event; times in microseconds, exact."""

    ph: str | None = None
    cat: str | None = None
    name: str | None = None
    pid: Int64 | str | None = None
    tid: Int64 | str | None = None
    ts: Decimal | None = None
    dur: Decimal | None = None
    args: Arguments | None = None


class _BareEvent(msgspec.Struct, gc=False, frozen=True):
    """An event whose ``args`` are of a wrong type and therefore left out."""

    ph: str | None = None
    cat: str | None = None
    name: str | None = None
    pid: Int64 | str | None = None
    tid: Int64 | str | None = None
    ts: Decimal | None = None
    dur: Decimal | None = None


class _Head(msgspec.Struct, gc=False, frozen=True):
    cat: str | None = None


_HEADS = msgspec.json.Decoder(list[_Head])
_HEAD = msgspec.json.Decoder(_Head)
_EVENTS = msgspec.json.Decoder(list[Event])
# Lax: numbers written as text, whole numbers written as 7.0.
_LAX_EVENT = msgspec.json.Decoder(Event, strict=False)
_BARE_EVENT = msgspec.json.Decoder(_BareEvent, strict=False)


@dataclass(kw_only=True)
class Malformed:
    """Counts of events that were not as they should be.

    Attributes:
        source_name: the file's name, for messages.
        skipped: events that could not be read at all.
        without_arguments: events whose arguments were of a wrong type and left out.
        first: reason and number of the first of them.
    """

    source_name: str
    skipped: int = 0
    without_arguments: int = 0
    first: str | None = None

    def note(self, index: int, reason: object) -> None:
        """Remember the first malformed event."""
        if self.first is None:
            self.first = f"event {index}: {reason}"


def wanted_events(
    raws: list[msgspec.Raw], malformed: Malformed
) -> Iterator[tuple[float, list[Event]]]:
    """The complete events ("X") of the categories the audit needs, batch by batch.

    Two passes over a batch: one reads only the category, the other only the wanted events whole.
    That halves the time, because most events of a trace are operators of the host.

    Args:
        raws: the events' JSON.
        malformed: counts of what could not be read; added to.

    Yields:
        The share of events done, 0 to 1, and the events of a batch.

    Raises:
        InputError: text of an event is not valid UTF-8.
    """
    for start in range(0, len(raws), _BATCH_EVENTS):
        batch = raws[start : start + _BATCH_EVENTS]
        events = _decode(batch, _selected(batch, start, malformed), start, malformed)
        yield (start + len(batch)) / len(raws), [event for event in events if event.ph == "X"]


def nanoseconds(microseconds: Decimal | None) -> int | None:
    """A time of a trace in ns, rounded to whole ns; None where missing or out of range.

    Traces give microseconds as whole numbers or with three decimals; a float would lose the last
    decimals of times counted from 1970, hence Decimal. ``displayTimeUnit`` never changes the unit.

    >>> nanoseconds(Decimal("5103060087253.272"))
    5103060087253272
    """
    if microseconds is None or not -_LARGEST_MICROSECONDS < microseconds < _LARGEST_MICROSECONDS:
        return None
    return round(microseconds * 1000)


def _selected(batch: list[msgspec.Raw], start: int, malformed: Malformed) -> list[bool]:
    try:
        heads = _HEADS.decode(_joined(batch))
    except msgspec.MsgspecError:
        heads = [_head(raw, start + at, malformed) for at, raw in enumerate(batch)]
    return [head.cat in _WANTED for head in heads]


def _head(raw: msgspec.Raw, index: int, malformed: Malformed) -> _Head:
    try:
        return _HEAD.decode(raw)
    except msgspec.MsgspecError as error:
        malformed.skipped += 1
        malformed.note(index, error)
        return _Head()


def _decode(
    batch: list[msgspec.Raw], selected: list[bool], start: int, malformed: Malformed
) -> list[Event]:
    try:
        return _EVENTS.decode(_joined(compress(batch, selected)))
    except msgspec.MsgspecError:
        numbered = compress(enumerate(batch, start), selected)
        singles = [_single(raw, index, malformed) for index, raw in numbered]
        return [event for event in singles if event is not None]


def _single(raw: msgspec.Raw, index: int, malformed: Malformed) -> Event | None:
    try:
        return _LAX_EVENT.decode(raw)
    except msgspec.ValidationError as error:
        malformed.note(index, error)
    except msgspec.DecodeError as error:
        raise InputError(
            f"{malformed.source_name}: event {index} holds text that is not valid: {error}. Export "
            "the trace again, as UTF-8."
        ) from error
    try:
        bare = _BARE_EVENT.decode(raw)
    except msgspec.MsgspecError:
        malformed.skipped += 1
        return None
    malformed.without_arguments += 1
    return Event(**msgspec.structs.asdict(bare))


def _joined(raws: Iterable[msgspec.Raw]) -> bytes:
    return b"[" + b",".join(raws) + b"]"
