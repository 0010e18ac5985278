"""Ceiling against gain of every arm of the suite, as the table that reports/README.md holds.

    python reports/arm_table.py

The ceiling of an arm is the wasted SM-time of all kernels that it changes, in the audit of the
baseline as a CUDA graph; the gain is what a whole token won in `measured.json`. A test compares
the README with what this prints.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from scipy.stats import spearmanr

from geoaudit.launches.store import read_recording
from geoaudit.manifest.reading import read_manifest
from geoaudit.manifest.settings import list_arms
from geoaudit.ranking.options import RankOptions
from geoaudit.ranking.rank import rank

REPORTS = Path(__file__).parent
SUITE = REPORTS / "h200-decode-suite"
MANIFEST = REPORTS.parent / "kernels" / "manifest.toml"


@dataclass(frozen=True, kw_only=True)
class Pair:
    """An arm, its ceiling and what it won of a token, in ms; a loss is negative."""

    setting: str
    arm_class: str
    kernels: tuple[str, ...]
    ceiling_ms: float
    won_ms: float


def pairs() -> tuple[Pair, ...]:
    """Every arm that was measured by itself, in the order it was."""
    measured = json.loads((SUITE / "measured.json").read_text(encoding="utf-8"))
    token_ms = {name: median(of) for name, of in measured["milliseconds_per_token"].items()}
    arms = {one.arm.name: one for one in list_arms(read_manifest(MANIFEST))}
    wasted_ms: dict[str, float] = {}
    for row in rank(read_recording(SUITE / "graph.parquet"), RankOptions()).rows:
        own_ms = (row.wasted_sm_time_per_token_ns or 0.0) / 1e6
        wasted_ms[row.kernel_short] = wasted_ms.get(row.kernel_short, 0.0) + own_ms
    return tuple(
        Pair(
            setting=setting,
            arm_class=arm.arm.arm_class,
            kernels=tuple(name for name in arm.kernels if name in wasted_ms),
            ceiling_ms=sum(wasted_ms.get(name, 0.0) for name in arm.kernels),
            won_ms=token_ms["baseline"] - own_ms,
        )
        for setting, own_ms in token_ms.items()
        if (arm := arms.get(setting.partition("=")[0])) is not None
    )


def table_lines() -> Iterator[str]:
    """The table, and the rank correlation below it."""
    found = pairs()
    yield "| arm | class | kernels it changes | ceiling | won |"
    yield "|---|---|---|---:|---:|"
    for one in found:
        many = len(one.kernels) > 3
        names = f"all {len(one.kernels)}" if many else ", ".join(f"`{k}`" for k in one.kernels)
        won = f"{round(one.won_ms, 2) + 0.0:.2f} ms".replace("-", "−")
        yield f"| `{one.setting}` | {one.arm_class} | {names} | {one.ceiling_ms:.2f} ms | {won} |"
    yield ""
    rho = spearmanr([one.ceiling_ms for one in found], [one.won_ms for one in found]).statistic
    same = [one for one in found if one.arm_class == "bit-identical"]
    rho_same = spearmanr([one.ceiling_ms for one in same], [one.won_ms for one in same]).statistic
    yield (
        f"Spearman's rank correlation of ceiling and gain: {rho:.2f} over {len(found)} arms, "
        f"{rho_same:.2f} over the {len(same)} bit-identical ones."
    )


if __name__ == "__main__":
    print("\n".join(table_lines()))
