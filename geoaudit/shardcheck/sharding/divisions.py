"""Divisions by ranks that an extent shows: the seeds of everything sharded."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from geoaudit.shardcheck.symbolic.extents import Arithmetic, Extent, Integer, Symbol
from geoaudit.shardcheck.symbolic.walking import parts, symbols, walk
from geoaudit.shardcheck.words import WIDTH_KINDS, parallel_kind

_ROUNDINGS = {"//": "floor", "cdiv": "ceil", "/": "exact"}
_ROW_END = re.compile(r"row_?(high|hi|end|upper|last)|(high|end)_row")
_ROW_START = re.compile(r"row_?(low|lo|start|begin|first)|(low|start)_row")


@dataclass(frozen=True, kw_only=True)
class Division:
    """A size divided over ranks, as an extent shows it.

    Attributes:
        total: what is divided.
        by: kind of parallelism.
        rounding: ``exact``, ``floor``, ``ceil``, ``at_least_one``.
        size: symbol of the ranks; of a range of rows its end.
        whole: the division itself.
    """

    total: Extent
    by: str
    rounding: str
    size: Symbol
    whole: Extent


def divisions(extent: Extent, *, of_numbers: bool = False) -> tuple[Division, ...]:
    """Every division of a width by ranks in an extent, each once.

    The rounding rule is read off: ``max(1, n // tp)`` gives every rank at least one; the first
    ranks have one more where the rank is part of the sum. Ranks that divide the batch, the layers
    or the context are not among them, nor what is no width: SMs, a number.

    Args:
        extent: to look into.
        of_numbers: a number that stands in the source is a width too, as in a manifest, which
            says nothing but sizes.
    """
    return tuple(dict.fromkeys(_divisions(extent, None, of_numbers)))


def row_ranges(extent: Extent) -> tuple[tuple[Symbol, Symbol], ...]:
    """End and start of every range of rows: ``row_high - row_low``, a rank's share of a matrix."""
    found: dict[tuple[Symbol, Symbol], None] = {}
    for one in walk(extent):
        if isinstance(one, Arithmetic) and one.operator == "-" and len(one.operands) == 2:
            ends = [s for s in symbols(one.operands[0]) if _ROW_END.search(s.name)]
            starts = [s for s in symbols(one.operands[1]) if _ROW_START.search(s.name)]
            if len(ends) == 1 and len(starts) == 1:
                found[ends[0], starts[0]] = None
    return tuple(found)


def _divisions(extent: Extent, rounding: str | None, of_numbers: bool) -> Iterator[Division]:
    if isinstance(extent, Arithmetic) and extent.operator in _ROUNDINGS:
        total, divisor = extent.operands
        for size in symbols(divisor):
            kind = parallel_kind(size.name) or "tp"
            is_width = _is_of_model(total) or (of_numbers and isinstance(total, Integer))
            if size.kind == "parallel_size" and kind in WIDTH_KINDS and is_width:
                rule = rounding or _ROUNDINGS[extent.operator]
                yield Division(total=total, by=kind, rounding=rule, size=size, whole=extent)
                break
    imposed = _imposed(extent) or rounding if isinstance(extent, Arithmetic) else None
    for part in parts(extent):
        yield from _divisions(part, imposed, of_numbers)


def _is_of_model(total: Extent) -> bool:
    """Whether it may be a width of a model: the SMs of a device that ranks share are none."""
    found = symbols(total)
    return bool(found) and all(one.kind not in ("sm_count", "occupancy") for one in found)


def _imposed(extent: Arithmetic) -> str | None:
    """The rounding rule that an extent imposes on a division in it; None: its own."""
    if extent.operator == "max" and Integer(value=1) in extent.operands:
        return "at_least_one"
    has_rank = any(symbol.kind == "rank" for symbol in symbols(extent))
    return "ceil" if extent.operator == "+" and has_rank else None
