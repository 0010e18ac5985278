"""The distance to a target in sentences and cells, the same for all renderers."""

from collections.abc import Callable
from dataclasses import dataclass

from geoaudit.ranking.audit import Audit, DistanceAccount
from geoaudit.render.numbers import count, duration, percent
from geoaudit.render.time_sentences import period

HEADINGS = ("lever", "ceiling", "together", "of the distance")
GAPS = "gaps: nothing runs"
MOST_LEVERS = 10
NOT_A_SAVING = (
    "A ceiling is not a saving: it is what filling every SM, or closing every gap, would win at "
    "most, and no kernel reaches it."
)


@dataclass(frozen=True, kw_only=True)
class DistanceTable:
    """The levers to show.

    Attributes:
        rows: cells under ``HEADINGS``; empty: the target is reached, or there is no lever.
        more: levers left out, as a sentence; empty: none.
    """

    rows: tuple[tuple[str, str, str, str], ...]
    more: str


def distance_sentence(account: DistanceAccount, audit: Audit) -> str:
    """Measured, aimed at and what lies between."""
    title = (
        f"{duration(account.measured_ns)} measured, {duration(account.target_ns)} aimed at, "
        f"{duration(max(account.distance_ns, 0.0))} to go per {period(audit)}"
    )
    return f"{title}: the target is reached" if account.distance_ns <= 0 else title


def distance_table(account: DistanceAccount, name: Callable[[str], str]) -> DistanceTable:
    """The longest levers.

    Args:
        account: of the audit.
        name: makes a kernel's name safe for the place it is shown in.
    """
    if account.distance_ns <= 0:
        return DistanceTable(rows=(), more="")
    rows = tuple(
        (
            GAPS if step.kernel_short is None else name(step.kernel_short),
            duration(step.ceiling_ns),
            duration(step.cumulative_ns),
            percent(step.cumulative_fraction),
        )
        for step in account.steps[:MOST_LEVERS]
    )
    left_out = len(account.steps) - len(rows)
    if left_out <= 0:
        return DistanceTable(rows=rows, more="")
    last = account.steps[-1]
    together = (
        f"{duration(last.cumulative_ns)}, {percent(last.cumulative_fraction)} of the distance"
    )
    return DistanceTable(rows=rows, more=f"and {count(left_out)} more; all together {together}")
