"""What a check is told: ranks, sharded dimensions, values, batch, context, device."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from geoaudit.errors import InputError
from geoaudit.shardcheck.words import OTHER_KINDS, WIDTH_KINDS

DEFAULT_RANKS = (1, 2, 4, 8)
DEFAULT_BATCH = 1
DEFAULT_CONTEXT = 32_768
ROUNDINGS = ("exact", "floor", "ceil", "at_least_one")

_NAME = r"[A-Za-z_][\w.\[\]()\-]*"
_DIMENSION = re.compile(rf"({_NAME})(?:=(\d[\d_]{{0,17}}))?(?::(\w+))?(?::(\w+))?")
_VALUE = re.compile(rf"({_NAME})=(\d[\d_]{{0,17}})")


@dataclass(frozen=True, kw_only=True)
class GivenDimension:
    """A dimension that the user says is sharded: ``--dim n_head=96:tp``.

    ``total`` is before the division; None: not told.
    """

    name: str
    total: int | None = None
    by: str = "tp"
    rounding: str = "exact"


@dataclass(frozen=True, kw_only=True)
class ShardOptions:
    """What grids are evaluated at.

    Attributes:
        ranks: numbers of ranks, ascending; the first is what the others are held against.
        by: parallelism whose ranks these are; ``tp`` stands for every kind that divides a width.
        dimensions: what is sharded, as told.
        values: symbol -> value, as told.
        model: dimension of the model (`words`) -> its size before any division.
        batch: sequences, each with one token.
        context: tokens in the cache of each.
        sms: SMs a launch can use.
    """

    sms: int
    ranks: tuple[int, ...] = DEFAULT_RANKS
    by: str = "tp"
    dimensions: tuple[GivenDimension, ...] = ()
    values: Mapping[str, int] = field(default_factory=dict)
    model: Mapping[str, int] = field(default_factory=dict)
    batch: int = DEFAULT_BATCH
    context: int = DEFAULT_CONTEXT

    def ranks_of(self, kind: str, ranks: int) -> int:
        """Ranks that a kind of parallelism has where the varied one has `ranks`."""
        varied = WIDTH_KINDS if self.by == "tp" else (self.by,)
        return ranks if kind in varied else 1


def parse_ranks(text: str) -> tuple[str, tuple[int, ...]]:
    """The kind of parallelism and its numbers of ranks: ``tp=1,2,4,8``.

    Raises:
        InputError: it does not read so.
    """
    by, is_assigned, numbers = text.partition("=")
    parts = [part.strip() for part in numbers.split(",")]
    are_numbers = all(re.fullmatch(r"[1-9]\d{0,5}", part) for part in parts)
    if by.strip() not in WIDTH_KINDS or not is_assigned or not are_numbers:
        raise InputError(
            f"--shard {text!r}: write KIND=N,N,... with KIND one of {', '.join(WIDTH_KINDS)} and "
            "numbers of ranks from 1: tp=1,2,4,8."
        )
    ranks = tuple(sorted({int(part) for part in parts}))
    if len(ranks) < 2:
        raise InputError(
            f"--shard {text!r}: give two numbers of ranks or more; a grid is held against the one "
            "at the fewest."
        )
    return by.strip(), ranks


def parse_dimension(text: str) -> GivenDimension:
    """A sharded dimension: ``n_head=96:tp``, ``n_head``, ``kv_heads=8:tp:at_least_one``.

    Raises:
        InputError: it does not read so.
    """
    found = _DIMENSION.fullmatch(text.strip())
    if found is None:
        raise InputError(
            f"--dim {text!r}: write NAME=TOTAL:KIND, TOTAL before the division: n_head=96:tp."
        )
    name, total, by, rounding = found.groups()
    by, rounding = by or "tp", rounding or "exact"
    if by in OTHER_KINDS:
        raise InputError(
            f"--dim {text!r}: {by} divides the batch, the layers or the context and no width of a "
            f"grid; name one of {', '.join(WIDTH_KINDS)}."
        )
    for value, known in ((by, WIDTH_KINDS), (rounding, ROUNDINGS)):
        if value not in known:
            raise InputError(f"--dim {text!r}: {value!r} is none of {', '.join(known)}.")
    if total is not None and int(total) == 0:
        raise InputError(f"--dim {text!r}: a dimension of 0 cannot be sharded; give its size.")
    size = None if total is None else int(total)
    return GivenDimension(name=name, total=size, by=by, rounding=rounding)


def parse_values(texts: Iterable[str]) -> dict[str, int]:
    """Values of symbols: ``head_dim=128``; the last of one name counts.

    Raises:
        InputError: one does not read so.
    """
    values: dict[str, int] = {}
    for text in texts:
        found = _VALUE.fullmatch(text.strip())
        if found is None:
            raise InputError(f"--set {text!r}: write NAME=NUMBER: head_dim=128.")
        values[found[1]] = int(found[2])
    return values
