"""The launches of a token stood on each other: what of the SMs each fills, and when."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from geoaudit.ranking.audit import Audit, TimelineLaunch
from geoaudit.render.names import elide
from geoaudit.render.numbers import duration, percent

NAME_WIDTH = 90


@dataclass(frozen=True, kw_only=True)
class StackedPiece:
    """A launch, or the part of it that stands at one height.

    Attributes:
        start, end: in ns, or in pixels once laid out in a strip.
        base, top: SM fill below it, and with it, 0 to 1.
        verdict: of its row, ``unlisted`` without one, ``unknown`` without a fill.
        title: what it is, the name made visible.
        launches: how many are drawn together in it.
        busy, area: of those drawn together, their time and their time times fill.
    """

    start: float
    end: float
    base: float
    top: float
    verdict: str
    title: str
    launches: int = 1
    busy: float = 0.0
    area: float = 0.0


def span(launches: Sequence[TimelineLaunch]) -> int:
    """Time in ns from the first start to the last end of launches in order of start."""
    return max(map(_end, launches)) - launches[0].start_ns


def without_gaps(launches: Iterable[TimelineLaunch]) -> list[TimelineLaunch]:
    """Launches in order of start, moved up to the launches before them; overlaps stay."""
    closed: list[TimelineLaunch] = []
    idle = reached = 0
    for launch in launches:
        idle += max(launch.start_ns - reached, 0) if closed else launch.start_ns
        reached = max(reached, _end(launch)) if closed else _end(launch)
        closed.append(replace(launch, start_ns=launch.start_ns - idle))
    return closed


def row_verdicts(audit: Audit) -> dict[tuple[int | None, str], str]:
    """The verdict of each row by its rank and kernel: two groups may use the same ranks."""
    rows = (*audit.communication_rows, *audit.rows)
    return {(row.rank, row.kernel_short): row.verdict.name for row in rows}


def stacked(
    launches: Sequence[TimelineLaunch], verdicts: Mapping[tuple[int | None, str], str]
) -> list[StackedPiece]:
    """The launches cut where a neighbour starts or ends, each part standing on those below it.

    Args:
        launches: in order of start, of some duration.
        verdicts: from `row_verdicts`.
    """
    edges = sorted({edge for one in launches for edge in (one.start_ns, _end(one))})
    waiting = list(reversed(launches))
    running: list[TimelineLaunch] = []
    pieces: list[StackedPiece] = []
    latest: dict[int, int] = {}
    for start, end in pairwise(edges):
        running = [one for one in running if _end(one) > start]
        while waiting and waiting[-1].start_ns <= start:
            running.append(waiting.pop())
        base = 0.0
        # A launch of unknown fill takes what the known ones leave, so it is put on top.
        for one in sorted(running, key=lambda launch: launch.sm_fill is None):
            top = 1.0 if one.sm_fill is None else min(1.0, base + one.sm_fill)
            verdict = verdicts.get((one.row_rank, one.kernel_short), "unlisted")
            piece = _piece(one, (start, end), (base, top), verdict)
            index = latest.get(id(one))
            if index is not None and pieces[index].base == base and pieces[index].top == top:
                pieces[index] = replace(pieces[index], end=end)
            else:
                latest[id(one)] = len(pieces)
                pieces.append(piece)
            base = top
    return pieces


def _end(launch: TimelineLaunch) -> int:
    return launch.start_ns + launch.duration_ns


def _piece(
    launch: TimelineLaunch, when: tuple[int, int], fill: tuple[float, float], verdict: str
) -> StackedPiece:
    return StackedPiece(
        start=when[0],
        end=when[1],
        base=fill[0],
        top=fill[1],
        verdict="unknown" if launch.sm_fill is None else verdict,
        title=_title(launch, verdict),
    )


def _title(launch: TimelineLaunch, verdict: str) -> str:
    fill = "unknown" if launch.sm_fill is None else percent(launch.sm_fill)
    said = "" if verdict == "unlisted" else f" · {verdict}"
    return (
        f"{elide(launch.kernel_short, NAME_WIDTH)} · {duration(launch.duration_ns)} · "
        f"SM fill {fill}{said}"
    )
