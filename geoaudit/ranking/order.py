"""Which rows are shown, and in what order."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from geoaudit.errors import InputError
from geoaudit.ranking.audit import AuditRow
from geoaudit.ranking.options import Order, RankOptions


@dataclass(frozen=True, kw_only=True)
class OrderedRows:
    """Rows in the order asked for, numbered from 1; collectives go on where the others end.

    Attributes:
        rows: without collectives.
        communication_rows: collectives.
        filtered: how many rows the filters left out.
        ranks: number of each row in the order they were given in; 0: left out.
    """

    rows: tuple[AuditRow, ...]
    communication_rows: tuple[AuditRow, ...]
    filtered: int
    ranks: npt.NDArray[np.int64]


def ordered(
    rows: Sequence[AuditRow], collective: npt.NDArray[np.bool_], options: RankOptions
) -> OrderedRows:
    """The rows that the options ask for, the worst first.

    Args:
        rows: all rows.
        collective: which of them are collectives.
        options: filters and order.

    Raises:
        InputError: ``--kernel`` is no regular expression, or no row is of ``--owner``.
    """
    _check_owner(rows, options.owner)
    pattern = None if options.kernel_pattern is None else _pattern(options.kernel_pattern)
    wanted = [place for place, row in enumerate(rows) if _is_wanted(row, pattern, options)]
    wanted.sort(key=lambda place: _sort_key(rows[place], options.order))
    own = [place for place in wanted if not collective[place]]
    shared = [place for place in wanted if collective[place]]
    ranks = np.zeros(len(rows), dtype=np.int64)
    ranks[[*own, *shared]] = np.arange(1, len(wanted) + 1)
    return OrderedRows(
        rows=tuple(replace(rows[place], rank=int(ranks[place])) for place in own),
        communication_rows=tuple(replace(rows[place], rank=int(ranks[place])) for place in shared),
        filtered=len(rows) - len(wanted),
        ranks=ranks,
    )


def _is_wanted(row: AuditRow, pattern: re.Pattern[str] | None, options: RankOptions) -> bool:
    if pattern is not None and not pattern.search(row.kernel):
        return False
    if options.owner == "library" and row.owner == "own":
        return False
    if options.owner not in (None, "library") and row.owner != options.owner:
        return False
    if options.verdicts and row.verdict.name not in options.verdicts:
        return False
    if options.minimum_confidence == "confirmed" and row.verdict.confidence != "confirmed":
        return False
    if options.minimum_confidence == "suspected" and row.verdict.confidence is None:
        return False
    return (row.time_per_token_ns or 0.0) >= options.minimum_time_ns


def _check_owner(rows: Sequence[AuditRow], owner: str | None) -> None:
    owners = sorted({row.owner for row in rows})
    if owner not in (None, "own", "library", *owners):
        raise InputError(
            f"--owner {owner}: no kernel here is of that owner; there are {', '.join(owners)}. "
            "`own` and `library` are always understood."
        )


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text, re.IGNORECASE)
    except re.error as error:
        raise InputError(f"--kernel {text!r} is not a regular expression: {error}") from error


def _sort_key(row: AuditRow, order: Order) -> tuple[bool, float, float, str, str]:
    """Worst first; what cannot be told comes last; ties by time, then by name and shape."""
    fill = row.geometry.sm_fill
    value = {
        "wasted": row.wasted_sm_time_per_token_ns,
        "time": row.time_per_token_ns,
        "calls": row.calls_per_token,
        "fill": None if fill is None else -fill,
    }[order]
    tie = row.time_per_token_ns or 0.0
    return value is None, -(value or 0.0), -tie, row.kernel, str((row.shape.grid, row.positions))
