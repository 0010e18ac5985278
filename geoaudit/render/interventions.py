"""What repetitions alone and other block counts showed, as text."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from statistics import median

from geoaudit.diagnosis.interventions import (
    ArmGain,
    Comparison,
    alone_against_in_situ,
    rank_correlation,
)
from geoaudit.launches.interventions import BlockCount, Intervention
from geoaudit.quantities import count, duration, plural
from geoaudit.ranking.arm_gains import gains_of_rows
from geoaudit.ranking.audit import AuditRow
from geoaudit.render.markdown_table import markdown_table
from geoaudit.render.names import markdown_code, visible

NAME_WIDTH = 60
_NUMBERS = ("ceiling per token", "realised per token")
_COMPARED: Mapping[Comparison, str] = {
    "like": "alike, so not contended",
    "faster": "faster alone: contended, or colder in its token",
    "slower": "slower alone: warmer in its token",
    "unknown": "cannot be told apart",
}


def intervention_lines(interventions: Sequence[Intervention]) -> list[str]:
    """A line for each launch that was repeated, and one for each shape that was tried on it."""
    return [line for one in interventions for line in _lines(one)]


@dataclass(frozen=True, kw_only=True)
class GainTable:
    """Ceilings beside gains as text: headings, rows in their order, and how far both agree."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    correlation: str


def gain_table(gains: Sequence[ArmGain], name: Callable[[str], str]) -> GainTable:
    """The table of predicted ceilings and realised gains.

    Args:
        gains: of an audit.
        name: how the name of a kernel, or of an arm, is shown.
    """
    found = rank_correlation(gains)
    shown = "cannot be told" if found is None else f"{found:.2f}"
    return GainTable(
        headings=("kernel", "blocks", "setting", *_NUMBERS),
        rows=tuple(
            (
                name(one.kernel_short),
                count(one.grid_blocks),
                name(one.setting),
                duration(one.ceiling_ns),
                duration(one.realised_ns),
            )
            for one in gains
        ),
        correlation="Spearman's rank correlation of ceiling and gain over "
        f"{plural(len(gains), 'pair')}: {shown}",
    )


def arm_gains_markdown(gains: Sequence[ArmGain]) -> list[str]:
    """The lines of a table of predicted ceilings and realised gains, and of their correlation."""
    table = gain_table(gains, lambda name: markdown_code(name, NAME_WIDTH))
    shown = markdown_table(table.headings, table.rows, right=("blocks", *_NUMBERS))
    return [*shown, "", table.correlation]


def tried_sentences(row: AuditRow, period: str) -> Iterator[str]:
    """The shapes that were tried on the launches of a row, a sentence for each.

    Args:
        row: one launch signature of an audit.
        period: what its figures are per, ``token`` or ``trace``.
    """
    for one in row.evidence.interventions:
        gains = {gain.setting: gain for gain in gains_of_rows([row], [one])}
        for shape in one.sweep:
            yield _tried(shape, one) + _won(gains.get(shape.setting), period)


def _tried(tried: BlockCount, one: Intervention) -> str:
    other = tried.kernel_short not in (None, one.kernel_short)
    of_other = f" of {tried.kernel_short}" if other else ""
    shape = _shape(tried.grid_blocks, tried.block_threads)
    return visible(f"{tried.setting}, {shape}{of_other}: {_median(tried.durations_ns)} alone")


def _won(gain: ArmGain | None, period: str) -> str:
    if gain is None:
        return ""
    won, ceiling = duration(abs(gain.realised_ns)), duration(gain.ceiling_ns)
    verb = "wins" if gain.realised_ns >= 0 else "loses"
    return f", which {verb} {won} per {period} where the ceiling is {ceiling}"


def _lines(one: Intervention) -> Iterator[str]:
    alone, in_situ = (_median(times) for times in (one.alone_ns, one.in_situ_ns))
    yield (
        f"{one.kernel_short}, {_shape(prod(one.grid), prod(one.block))}: {alone} alone, {in_situ} "
        f"in its token: {_COMPARED[alone_against_in_situ(one)]}"
    )
    for tried in one.sweep:
        shape = _shape(tried.grid_blocks, tried.block_threads)
        yield f"  {tried.setting}, {shape}: {_median(tried.durations_ns)}"


def _shape(blocks: int, threads: int) -> str:
    return f"{plural(blocks, 'block')} of {plural(threads, 'thread')}"


def _median(durations_ns: Sequence[int]) -> str:
    return duration(median(durations_ns) if durations_ns else None)
