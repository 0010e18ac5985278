from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoaudit.diagnosis.evidence import Concurrency
from geoaudit.launches import schema as s
from geoaudit.launches.store import read_recording
from geoaudit.ranking.concurrency import ConcurrentTime, concurrency, concurrent_time
from geoaudit.ranking.time_account import attributed_durations
from tests.unit.ranking.builders import Launch, table

REPORTS = Path(__file__).parents[3] / "reports"


def times(rows: pd.DataFrame, fills: list[float] | None = None) -> ConcurrentTime:
    fill = np.array(fills if fills else [1.0] * len(rows))
    return concurrent_time(rows, attributed_durations(rows), fill)


def rows_of(launches: list[Launch], contexts: list[int] | None = None) -> pd.DataFrame:
    rows = table(launches)
    rows[s.PROCESS] = pd.array([1] * len(rows), dtype="Int64")
    rows[s.CONTEXT] = pd.array(contexts or [1] * len(rows), dtype="Int64")
    return rows


def share_of(rows: pd.DataFrame, launch: int = 0, fills: list[float] | None = None) -> Concurrency:
    duration = rows[s.DURATION_NS].to_numpy(dtype=np.float64, na_value=np.nan)
    return concurrency(times(rows, fills), np.array([launch]), duration)


def test_a_lone_stream_has_nobody_beside_it() -> None:
    rows = rows_of([Launch(start=0, duration=10), Launch(start=12, duration=10)])
    assert share_of(rows) == Concurrency(
        other_streams=0.0, other_contexts=0.0, predecessor=0.0, successor=0.0
    )


def test_another_stream_is_beside_for_as_long_as_it_runs() -> None:
    rows = rows_of(
        [
            Launch(start=0, duration=100),
            Launch(start=10, duration=20, stream=8),
            Launch(start=25, duration=20, stream=9),
            Launch(start=90, duration=50, stream=8),
        ]
    )
    found = share_of(rows, fills=[1.0, 0.5, 0.25, 0.1])
    # 10-45 and 90-100; filled 20 x 0.5 + 20 x 0.25 + 10 x 0.1.
    assert found.other_streams == pytest.approx(0.45)
    assert found.other_contexts == 0.0
    assert found.sm_fill_beside == pytest.approx(16 / 45)


def test_another_context_is_not_another_stream_of_ones_own() -> None:
    rows = rows_of([Launch(start=0, duration=10), Launch(start=5, duration=10)], contexts=[1, 2])
    found = share_of(rows, fills=[1.0, 0.75])
    assert (found.other_streams, found.other_contexts) == (0.0, 0.5)
    assert found.sm_fill_beside == pytest.approx(0.75)


def test_programmatic_dependent_launches_have_heads_and_tails() -> None:
    rows = rows_of(
        [
            Launch(start=0, duration=20),
            Launch(start=15, duration=20),
            Launch(start=33, duration=10),
        ]
    )
    middle = share_of(rows, 1)
    assert middle.predecessor == pytest.approx(5 / 20)
    assert middle.successor == pytest.approx(2 / 20)
    assert (middle.other_streams, middle.sm_fill_beside) == (0.0, None)


def test_a_launch_that_waits_beside_fills_nothing_yet() -> None:
    rows = rows_of(
        [
            Launch(start=0, duration=40),
            Launch(start=0, duration=20, stream=8),
            Launch(start=10, duration=30, stream=8),
        ]
    )
    # Stream 8 fills 0.25 to 20, then 1.0: the second launch waited from 10 to 20.
    found = share_of(rows, fills=[0.5, 0.25, 1.0])
    assert found.sm_fill_beside == pytest.approx((20 * 0.25 + 20 * 1.0) / 40)


def test_what_is_unknown_stays_unknown() -> None:
    launches = [Launch(start=0, duration=10), Launch(start=5, duration=10, stream=8)]
    rows = rows_of(launches)
    assert share_of(rows, fills=[1.0, float("nan")]).sm_fill_beside is None
    assert share_of(table(launches)).other_contexts is None
    rows[s.STREAM] = pd.array([None, None], dtype="Int64")
    assert share_of(rows) == Concurrency(other_contexts=0.0)
    assert share_of(rows_of([Launch(start=None, duration=10)])) == Concurrency()


def test_devices_do_not_share_anything() -> None:
    rows = rows_of([Launch(start=0, duration=10), Launch(start=0, duration=10, device=1, stream=8)])
    assert share_of(rows).other_streams == 0.0


def test_absolute_nanoseconds_keep_their_last_digit() -> None:
    epoch = 1_790_857_026_000_000_001
    rows = rows_of([Launch(start=epoch, duration=3), Launch(start=epoch + 2, duration=2, stream=8)])
    assert share_of(rows).other_streams == pytest.approx(1 / 3)


Drawn = tuple[int, int, int, int, float]
launches_strategy = st.lists(
    st.tuples(
        st.integers(0, 40), st.integers(0, 15), st.integers(0, 2), st.integers(1, 3),
        st.sampled_from([0.25, 0.5, 1.0]),
    ),
    min_size=1,
    max_size=14,
)  # fmt: skip


def rows_drawn(drawn: list[Drawn]) -> pd.DataFrame:
    launches = [Launch(start=start, duration=ns, stream=own) for start, ns, _, own, _ in drawn]
    return rows_of(launches, contexts=[context for _, _, context, _, _ in drawn])


@settings(max_examples=150, deadline=None)
@given(launches_strategy)
def test_times_are_those_of_a_count_moment_by_moment(
    drawn: list[Drawn],
) -> None:
    drawn.sort()
    rows = rows_of(
        [
            Launch(start=begin, duration=length, stream=stream)
            for begin, length, _, stream, _ in drawn
        ],
        contexts=[context for _, _, context, _, _ in drawn],
    )
    found = times(rows, [fill for *_, fill in drawn])
    attributed = attributed_durations(rows)
    for place, (begin, length, context, stream, _) in enumerate(drawn):
        moments = range(begin, begin + length)

        def running(moment: int) -> list[tuple[int, int]]:
            return [(c, v) for b, n, c, v, _ in drawn if b <= moment < b + n]

        def filled(moment: int, own: tuple[int, int]) -> float:
            return sum(
                fill
                for (b, n, c, v, fill), given_ns in zip(drawn, attributed, strict=True)
                if (c, v) != own and b + n - given_ns <= moment < b + n
            )

        own = (context, stream)
        assert found.other_streams[place] == sum(
            any(c == context and v != stream for c, v in running(moment)) for moment in moments
        )
        assert found.other_contexts[place] == sum(
            any(c != context for c, _ in running(moment)) for moment in moments
        )
        assert found.beside[place] == sum(
            any(one != own for one in running(moment)) for moment in moments
        )
        assert found.filled_beside[place] == pytest.approx(
            sum(filled(moment, own) for moment in moments)
        )


@settings(max_examples=100, deadline=None)
@given(launches_strategy)
def test_shares_are_shares_and_pairs_are_symmetric(
    drawn: list[Drawn],
) -> None:
    drawn.sort()
    rows = rows_of(
        [
            Launch(start=begin, duration=length, stream=stream)
            for begin, length, _, stream, _ in drawn
        ],
        contexts=[context for _, _, context, _, _ in drawn],
    )
    shares = vars(share_of(rows)).values()
    assert all(share is None or 0.0 <= share <= 1.0 for share in shares)
    found = times(rows.iloc[:2].reset_index(drop=True))
    assert len(set(found.beside)) == 1


def test_the_suite_under_programmatic_dependent_launch_overlaps_on_its_one_stream() -> None:
    launches = read_recording(REPORTS / "h200-decode-suite" / "arms-graph.parquet").launches
    kernels = launches[launches[s.KIND] == s.KIND_KERNEL].reset_index(drop=True)
    found = times(kernels, [1.0] * len(kernels))
    assert found.other_streams.sum() == found.other_contexts.sum() == found.beside.sum() == 0
    heads, tails = found.predecessor.sum(), found.successor.sum()
    assert heads > 0
    assert tails == pytest.approx(heads, rel=0.05)
    total = kernels[s.DURATION_NS].sum()
    assert heads == total - attributed_durations(kernels).sum()
