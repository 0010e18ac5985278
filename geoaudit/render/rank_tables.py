"""The ranks of a run side by side: the tables and sentences that every renderer shows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from geoaudit.launches.rank_words import missing_ranks_sentence
from geoaudit.ranking.audit import Audit
from geoaudit.ranking.ranks.comparison import (
    PerRank,
    RankComparison,
    RankedCollective,
    RankedSignature,
    RankSummary,
)
from geoaudit.ranking.ranks.wording import difference_sentence
from geoaudit.render.numbers import (
    CANNOT_TELL,
    count,
    dimensions,
    duration,
    percent,
    plural,
)
from geoaudit.render.time_sentences import period

SLOWEST = "*"
COLUMNS_PER_RANK = 4
"""With more ranks the shortest, middle and longest stand for all of them."""
SHOWN_DIFFERENCES = 5
NO_LAUNCH = "none"

COLLECTIVES_TITLE = "communication: own time, and how long each rank waits for the last one"
RANKS_LEGEND = (
    f"{SLOWEST} the slowest rank, where it takes notably longer; ? cannot tell. Apart: how much "
    "less the fastest rank takes, as a share of the slowest's time. A collective is taken to end "
    "on all ranks together: own is the sum over its calls of the shortest duration on a rank, what "
    "a rank takes longer is waiting, and the rank that waits least mostly arrives last. Skew: "
    "longest less shortest duration of a call, the middle one, the 95th percentile and the "
    "longest. Clocks of two devices are never compared."
)


@dataclass(frozen=True, kw_only=True)
class RankTable:
    """One table as text.

    Attributes:
        headings: of its columns.
        rows: their cells.
        dispensable: headings of columns that a narrow terminal leaves out, the first first.
        named: heading of the column of names, which begin at one edge; all others are numbers.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    dispensable: tuple[str, ...]
    named: str = "kernel"


def ranks_table(ranks: RankComparison, name: Callable[[str], str]) -> RankTable:
    """A line for each rank.

    Args:
        ranks: the comparison.
        name: makes a foreign name safe to show.
    """
    headings = ("rank", "device", "tokens", "wall", "kernels", "copies", "gaps", "wasted")
    return RankTable(
        headings=(*headings, "collectives", "waiting"),
        rows=tuple(_rank_cells(one, name) for one in ranks.ranks),
        dispensable=("copies", "gaps", "kernels", "tokens"),
        named="device",
    )


def signatures_table(ranks: RankComparison, name: Callable[[str], str]) -> RankTable:
    """A line for each launch signature, with the time of every rank beside the others'."""
    numbers = [one.rank for one in ranks.ranks]
    headings = ("#", "kernel", "grid", "block", "calls")
    rows = []
    for one in ranks.signatures:
        times = _side_by_side(one, numbers)
        rows.append((*_signature_cells(one, name), *times, percent(one.difference_fraction)))
    several = tuple(f"rank {number}  " for number in numbers)
    if len(numbers) > COLUMNS_PER_RANK:
        several = ("min", "median", "max", "slowest")
    return RankTable(
        headings=(*headings, *several, "apart"),
        rows=tuple(rows),
        dispensable=("block", "calls", "grid", "apart"),
    )


def collectives_table(ranks: RankComparison, name: Callable[[str], str]) -> RankTable:
    """A line for each collective, with the waiting of every rank beside the others'."""
    numbers = [one.rank for one in ranks.ranks]
    several = tuple(f"wait {number}" for number in numbers)
    if len(numbers) > COLUMNS_PER_RANK:
        several = ("wait min", "median", "max", "last")
    return RankTable(
        headings=("#", "kernel", "calls", "own", *several, "skew", "p95", "longest"),
        rows=tuple(_collective_cells(one, numbers, name) for one in ranks.collectives),
        dispensable=("calls", "p95", "longest", "skew"),
    )


def ranks_sentence(audit: Audit) -> str | None:
    """Which ranks there are, whether they launch the same, and what communication takes."""
    ranks = audit.ranks
    if ranks is None:
        return None
    return f"{_which(ranks)} · {geometry_sentence(ranks)} · {communication_sentence(audit)}"


def geometry_sentence(ranks: RankComparison) -> str:
    """Whether all ranks launch the same."""
    geometry = ranks.geometry
    if geometry is None:
        return f"geometry: cannot tell, {ranks.geometry_unknown}"
    positions = plural(geometry.positions, "position")
    parts = [
        f"{words} {count(number)}"
        for words, number in (
            ("differs at", geometry.differing),
            ("a rank has no launch at", geometry.lacking),
            ("cannot be told at", geometry.unknown),
        )
        if number
    ]
    unplaced = sum(geometry.unplaced)
    others = f"; {plural(unplaced, 'launch', 'launches')} without a position" if unplaced else ""
    if not parts:
        return f"geometry the same on all at {positions}{others}"
    return f"geometry: {', '.join(parts)} of {positions}{others}"


def communication_sentence(audit: Audit) -> str:
    """What collectives take per token on a rank, and how much of that is waiting."""
    ranks = audit.ranks
    if ranks is None or ranks.communication_time_per_token_ns is None:
        return "collectives: cannot tell"
    if not ranks.communication_time_per_token_ns:
        return "no collectives"
    time = f"collectives {duration(ranks.communication_time_per_token_ns)} per {period(audit)}"
    if ranks.waiting_fraction is None:
        return f"{time}, waiting: cannot tell"
    return f"{time}, {percent(ranks.waiting_fraction)} of it waiting"


def difference_sentences(ranks: RankComparison) -> tuple[str, ...]:
    """The first positions that differ; names in them are foreign."""
    if ranks.geometry is None:
        return ()
    numbers = [one.rank for one in ranks.ranks]
    shown = ranks.geometry.differences[:SHOWN_DIFFERENCES]
    sentences = [difference_sentence(one, numbers) for one in shown]
    more = ranks.geometry.differing + ranks.geometry.lacking - len(shown)
    return (*sentences, f"and {count(more)} more") if more else tuple(sentences)


def left_out_of_ranks(audit: Audit) -> tuple[str, ...]:
    """How many rows are left out, by what; empty where none is."""
    ranks = audit.ranks
    hidden = 0 if ranks is None else ranks.hidden_signatures + ranks.hidden_collectives
    sentences = [f"{plural(hidden, 'more row')} (--top 0 shows all)"] if hidden else []
    if audit.filtered_rows:
        sentences.append(
            f"{plural(audit.filtered_rows, 'row')} of single ranks left out by filters"
        )
    return tuple(sentences)


def _which(ranks: RankComparison) -> str:
    numbers = ", ".join(str(one.rank) for one in ranks.ranks[:COLUMNS_PER_RANK])
    if len(ranks.ranks) > COLUMNS_PER_RANK:
        numbers = count(len(ranks.ranks))
    if ranks.run_ranks is None:
        return f"{numbers} of an unknown number"
    whole = f"{numbers} of {count(ranks.run_ranks)}"
    if not ranks.missing:
        return whole
    return f"{whole} ({missing_ranks_sentence(ranks.missing, ranks.run_ranks)})"


def _rank_cells(one: RankSummary, name: Callable[[str], str]) -> tuple[str, ...]:
    further = f" +{one.further_devices}" if one.further_devices else ""
    times = (
        one.wall_time_per_token_ns,
        one.kernel_time_per_token_ns,
        one.copy_time_per_token_ns,
        one.gap_time_per_token_ns,
        one.wasted_sm_time_per_token_ns,
        one.communication_time_per_token_ns,
        one.waiting_per_token_ns,
    )
    return (
        str(one.rank),
        f"{one.device}{further} {name(one.device_name)}",
        count(one.tokens),
        *map(duration, times),
    )


def _side_by_side(one: RankedSignature, numbers: Sequence[int]) -> tuple[str, ...]:
    """The times of all ranks, the slowest marked; of many ranks their range and the slowest."""
    times = one.time_per_token_ns
    if len(times) > COLUMNS_PER_RANK:
        return (*_ranged(times), "" if one.slowest is None else str(one.slowest))
    return tuple(
        f"{NO_LAUNCH}  "
        if call == 0
        else f"{duration(time)} {SLOWEST if number == one.slowest else ' '}"
        for number, time, call in zip(numbers, times, one.calls_per_token, strict=True)
    )


def _ranged(values: PerRank) -> tuple[str, ...]:
    """The shortest, middle and longest of the times that are known."""
    known = [value for value in values if value is not None]
    if not known:
        return (CANNOT_TELL,) * 3
    return tuple(map(duration, (min(known), median(known), max(known))))


def _signature_cells(one: RankedSignature, name: Callable[[str], str]) -> tuple[str, ...]:
    return (
        str(one.place),
        name(one.kernel_short),
        dimensions(one.shape.grid),
        dimensions(one.shape.block),
        _calls(one.calls_per_token),
    )


def _calls(calls: PerRank) -> str:
    """Calls per token, a range where ranks that have any differ."""
    known = [call for call in calls if call]
    if not known:
        return CANNOT_TELL
    low, high = count(min(known)), count(max(known))
    return low if low == high else f"{low} to {high}"


def _collective_cells(
    one: RankedCollective, numbers: Sequence[int], name: Callable[[str], str]
) -> tuple[str, ...]:
    waiting = one.waiting_per_token_ns
    known = {rank: time for rank, time in zip(numbers, waiting, strict=True) if time is not None}
    cells = tuple(map(duration, waiting))
    if len(waiting) > COLUMNS_PER_RANK:
        cells = (*_ranged(waiting), str(min(known, key=known.__getitem__)) if known else "")
    skew: PerRank = (None, None, None)
    if one.skew is not None:
        skew = (one.skew.median_ns, one.skew.p95_ns, one.skew.max_ns)
    return (
        str(one.place),
        name(one.kernel_short),
        _calls(one.calls_per_token),
        duration(one.own_time_per_token_ns),
        *cells,
        *map(duration, skew),
    )
