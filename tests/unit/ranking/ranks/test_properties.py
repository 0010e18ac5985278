"""What holds of collectives whatever their durations."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.ranking.builders import Launch
from tests.unit.ranking.ranks.run import all_reduce, comparison, run

DURATIONS = st.integers(2, 4).flatmap(
    lambda ranks: st.lists(
        st.lists(st.integers(1, 90), min_size=ranks, max_size=ranks), min_size=1, max_size=4
    )
)


@settings(max_examples=30, deadline=None)
@given(calls=DURATIONS, count=st.sampled_from([1, 3]))
def test_own_time_and_waiting_make_each_rank_s_time(calls: list[list[int]], count: int) -> None:
    ranks = len(calls[0])
    layouts = {
        rank: [
            Launch(kernel="a"),
            *(all_reduce(call[rank], start=100 * (at + 1)) for at, call in enumerate(calls)),
        ]
        for rank in range(ranks)
    }
    found = comparison(run(layouts, count))
    (collective,) = found.collectives
    own = collective.own_time_per_token_ns
    assert own is not None
    assert collective.tokens == count
    for one, time, waiting in zip(
        found.ranks, collective.time_per_token_ns, collective.waiting_per_token_ns, strict=True
    ):
        assert waiting is not None
        assert waiting >= 0
        assert own + waiting == pytest.approx(time)
        assert time == pytest.approx(sum(call[one.rank] for call in calls))
    assert own == pytest.approx(sum(min(call) for call in calls))
    assert found.waiting_fraction is not None
    assert 0 <= found.waiting_fraction < 1
    assert collective.skew is not None
    assert 0 <= collective.skew.median_ns <= collective.skew.p95_ns <= collective.skew.max_ns
    assert collective.skew.max_ns == max(max(call) - min(call) for call in calls)
