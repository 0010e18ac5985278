"""What repetitions alone and other block counts showed, as text."""

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from statistics import median

from geoaudit.diagnosis.interventions import (
    ArmGain,
    Comparison,
    alone_against_in_situ,
    rank_correlation,
)
from geoaudit.launches.interventions import Intervention
from geoaudit.quantities import duration, plural
from geoaudit.render.markdown_table import markdown_table
from geoaudit.render.names import markdown_code

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


def arm_gains_markdown(gains: Sequence[ArmGain]) -> list[str]:
    """The lines of a table of predicted ceilings and realised gains, and of their correlation."""
    correlation = rank_correlation(gains)
    rows = [
        (
            markdown_code(one.kernel_short, NAME_WIDTH),
            one.setting,
            duration(one.ceiling_ns),
            duration(one.realised_ns),
        )
        for one in gains
    ]
    shown = "cannot be told" if correlation is None else f"{correlation:.2f}"
    return [
        *markdown_table(("kernel", "setting", *_NUMBERS), rows, right=_NUMBERS),
        "",
        f"Spearman's rank correlation of ceiling and gain over {plural(len(gains), 'pair')}: "
        f"{shown}",
    ]


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
