"""Runs of several ranks made up from a few words, each rank a part with a device of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording, TokenOptions
from geoaudit.launches.store import join_recordings
from geoaudit.ranking.audit import Audit
from geoaudit.ranking.options import RankOptions
from geoaudit.ranking.rank import rank
from geoaudit.ranking.ranks.comparison import RankComparison
from tests.unit.ranking.builders import Launch, recording, tokens

ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"
PERIOD_NS = 1_000


def all_reduce(duration: int | None, start: int = 100) -> Launch:
    """A collective of this duration."""
    return Launch(kernel=ALL_REDUCE, duration=duration, start=start, blocks=8, owner="nccl")


def part(number: int | None, launches: Sequence[Launch], ranks: int | None = None) -> Recording:
    """The recording of one rank."""
    made = recording(launches)
    column = pd.array([pd.NA if number is None else number] * len(launches), dtype="Int64")
    table = made.launches.assign(**{s.RANK: column})
    name = f"rank{number}.json"
    return replace(
        made,
        launches=table,
        metadata=replace(made.metadata, ranks=ranks, source_name=name),
    )


def run(layouts: Mapping[int, Sequence[Launch]], count: int = 3) -> Recording:
    """A run of these ranks, each launching its layout in every token.

    One token, or three and more: the first and the last of several may be cut, and of two no
    template is left.
    """
    return join_recordings(
        [
            part(number, tokens(layout, count, PERIOD_NS), len(layouts))
            for number, layout in layouts.items()
        ]
    )


def audit(of: Recording, **options: object) -> Audit:
    """The audit of a run, its tokens found by the range ``decode``."""
    chosen = replace(RankOptions(token_options=TokenOptions(token_range="decode")), **options)  # type: ignore[arg-type]
    return rank(of, chosen)


def comparison(of: Recording, **options: object) -> RankComparison:
    """The comparison of its ranks."""
    found = audit(of, **options).ranks
    assert found is not None
    return found
