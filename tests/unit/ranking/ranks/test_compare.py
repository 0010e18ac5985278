"""Ranks held against each other; every expected number is worked out in the test."""

from dataclasses import replace

import pandas as pd
import pytest

from geoaudit.errors import InputError
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording, TokenOptions
from geoaudit.launches.store import join_recordings
from geoaudit.ranking.audit import top_rows
from geoaudit.ranking.options import RankOptions
from geoaudit.ranking.rank import rank
from geoaudit.ranking.ranks.comparison import Skew
from tests.unit.ranking.builders import Launch, tokens
from tests.unit.ranking.ranks.run import ALL_REDUCE, all_reduce, audit, comparison, part, run

QUICK = [Launch(kernel="a", start=0, duration=100), all_reduce(50)]
SLOW = [Launch(kernel="a", start=0, duration=120), all_reduce(30, start=120)]


def test_a_worked_example() -> None:
    """Three tokens of two ranks: `a` takes 100 and 120 ns, then both reduce.

    Rank 0 arrives 20 ns early: its call takes 50 ns where rank 1's takes 30, so that 30 ns are
    the collective's own and 20 ns are waiting. The collectives take (50 + 30) / 2 = 40 ns on
    average, and of their 80 ns 20 are waiting.
    """
    found = comparison(run({0: QUICK, 1: SLOW}))
    assert [(one.rank, one.device, one.tokens) for one in found.ranks] == [(0, 0, 3), (1, 1, 3)]
    assert [one.device_name for one in found.ranks] == ["NVIDIA H200"] * 2
    # A token is followed by the next one after 1,000 ns.
    assert [one.wall_time_per_token_ns for one in found.ranks] == [1_000.0, 1_000.0]
    assert [one.kernel_time_per_token_ns for one in found.ranks] == [150.0, 150.0]
    assert [one.gap_time_per_token_ns for one in found.ranks] == [850.0, 850.0]
    # `a` fills all 132 SMs; of the collective's 8 blocks 124 of 132 SMs have none.
    wasted = [one.wasted_sm_time_per_token_ns for one in found.ranks]
    assert wasted == pytest.approx([50 * 124 / 132, 30 * 124 / 132])
    assert [one.communication_time_per_token_ns for one in found.ranks] == [50.0, 30.0]
    assert [one.waiting_per_token_ns for one in found.ranks] == [20.0, 0.0]
    assert found.communication_time_per_token_ns == 40.0
    assert found.own_time_per_token_ns == 30.0
    assert found.waiting_fraction == pytest.approx(20 / 80)
    (signature,) = found.signatures
    assert signature.calls_per_token == (1.0, 1.0)
    assert signature.time_per_token_ns == (100.0, 120.0)
    assert signature.difference_ns == 20.0
    assert signature.difference_fraction == pytest.approx(20 / 120)
    (collective,) = found.collectives
    assert (signature.place, collective.place) == (1, 2)
    assert collective.tokens == 3
    assert collective.time_per_token_ns == (50.0, 30.0)
    assert collective.own_time_per_token_ns == 30.0
    assert collective.waiting_per_token_ns == (20.0, 0.0)
    assert collective.skew == Skew(median_ns=20.0, p95_ns=20.0, max_ns=20.0, calls=3)
    assert found.geometry is not None
    assert (found.geometry.positions, found.geometry.same, found.geometry.tokens) == (2, 2, 3)
    assert (found.run_ranks, found.missing) == (2, ())


def test_the_skew_is_of_single_calls() -> None:
    """Calls of 10, 20 and 30 ns against 14, 20 and 60: apart by 4, 0 and 30."""
    ranks = {}
    for number, durations in enumerate(((10, 20, 30), (14, 20, 60))):
        launches = [
            Launch(kernel="a"),
            *(all_reduce(one, start=100 * (at + 1)) for at, one in enumerate(durations)),
        ]
        ranks[number] = launches
    (collective,) = comparison(run(ranks, count=1)).collectives
    assert collective.own_time_per_token_ns == 10 + 20 + 30
    assert collective.waiting_per_token_ns == (0.0, 34.0)
    # The 95th of a hundred parts between the sorted 0, 4 and 30: 0.9 of the way from 4 to 30.
    assert collective.skew is not None
    assert collective.skew.median_ns == 4.0
    assert collective.skew.p95_ns == pytest.approx(4 + 0.9 * 26)
    assert collective.skew.max_ns == 30.0


def test_each_rank_may_be_the_last_of_a_call() -> None:
    """10 and 30 ns, then 30 and 10: own 10 + 10, and each rank waits 20."""
    found = comparison(
        run(
            {
                0: [Launch(), all_reduce(10, 100), all_reduce(30, 200)],
                1: [Launch(), all_reduce(30, 100), all_reduce(10, 200)],
            }
        )
    )
    assert [one.waiting_per_token_ns for one in found.ranks] == [20.0, 20.0]
    assert found.own_time_per_token_ns == 20.0


def test_only_tokens_that_all_ranks_have_are_aligned() -> None:
    """Rank 1 ended after one token of three: its calls are held against rank 0's first."""
    whole = [
        *tokens([Launch(kernel="a"), all_reduce(50)], 1, 1_000),
        *(
            replace(launch, start=(launch.start or 0) + token * 1_000, ranges=f"decode#{token}")
            for token in (1, 2)
            for launch in (Launch(kernel="a"), all_reduce(500))
        ),
    ]
    found = comparison(join_recordings([part(0, whole), part(1, tokens(SLOW, 1, 1_000))]))
    assert [one.tokens for one in found.ranks] == [3, 1]
    (collective,) = found.collectives
    assert collective.tokens == 1
    assert collective.waiting_per_token_ns == (20.0, 0.0)
    # All three of rank 0's calls: (50 + 500 + 500) / 3.
    assert found.ranks[0].communication_time_per_token_ns == 350.0
    assert found.run_ranks is None


def test_a_token_in_which_a_call_has_no_like_is_left_out() -> None:
    """Rank 0 takes 40, 30 and 35 ns, rank 1 30, an unknown time and 30: of two tokens 10 and 5."""
    parts = []
    for number, durations in enumerate(((40, 30, 35), (30, None, 30))):
        launches = [
            replace(launch, start=(launch.start or 0) + at * 1_000, ranges=f"decode#{at}")
            for at, one in enumerate(durations)
            for launch in (Launch(kernel="a"), all_reduce(one))
        ]
        parts.append(part(number, launches))
    (collective,) = comparison(join_recordings(parts)).collectives
    assert collective.tokens == 2
    assert collective.own_time_per_token_ns == 30.0
    assert collective.waiting_per_token_ns == (7.5, 0.0)
    assert collective.skew is not None
    assert collective.skew.calls == 2


def test_where_no_call_has_a_time_on_all_ranks_waiting_cannot_be_told() -> None:
    layouts = {0: [Launch(), all_reduce(30)], 1: [Launch(), all_reduce(None)]}
    (collective,) = comparison(run(layouts)).collectives
    assert collective.tokens is None
    assert collective.own_time_per_token_ns is None
    assert collective.waiting_per_token_ns == (None, None)
    assert collective.time_per_token_ns == (30.0, None)
    assert collective.skew is None


def test_without_tokens_nothing_is_aligned_and_the_rest_is_told() -> None:
    recording = join_recordings([part(0, QUICK), part(1, SLOW)])
    found = rank(recording, RankOptions()).ranks
    assert found is not None
    assert found.geometry is None
    assert found.geometry_unknown == "no tokens were found, so launches have no positions"
    assert [one.tokens for one in found.ranks] == [None, None]
    assert found.signatures[0].time_per_token_ns == (100.0, 120.0)
    assert [one.communication_time_per_token_ns for one in found.ranks] == [50.0, 30.0]
    assert [one.waiting_per_token_ns for one in found.ranks] == [None, None]
    assert found.waiting_fraction is None


def test_a_rank_without_the_class_cannot_be_compared() -> None:
    other = [Launch(kernel="b", start=at * 20) for at in range(6)]
    found = comparison(run({0: QUICK, 1: other}))
    (audited,) = (one for one in found.ranks if one.tokens is not None)
    (left_out,) = (one for one in found.ranks if one.tokens is None)
    assert left_out.kernel_time_per_token_ns is None
    assert left_out.communication_time_per_token_ns is None
    assert audited.kernel_time_per_token_ns is not None
    assert found.geometry is None
    assert "has no complete step of class" in found.geometry_unknown


def test_ranks_without_collectives_wait_for_nobody() -> None:
    found = comparison(run({0: [Launch()], 1: [Launch()]}))
    assert [one.communication_time_per_token_ns for one in found.ranks] == [0.0, 0.0]
    assert [one.waiting_per_token_ns for one in found.ranks] == [0.0, 0.0]
    assert (found.own_time_per_token_ns, found.waiting_fraction) == (None, None)


def test_a_signature_that_a_rank_lacks_has_no_calls_and_no_time_there() -> None:
    same = [Launch(kernel=name, start=at) for name, at in (("x", 40), ("y", 80))]
    layouts = {rank: [Launch(kernel="a", blocks=12 * (rank + 1)), *same] for rank in (0, 1)}
    found = {
        one.shape.grid: one for one in comparison(run(layouts)).signatures if one.kernel == "a"
    }
    assert found[12, 1, 1].calls_per_token == (1.0, 0.0)
    assert found[12, 1, 1].time_per_token_ns == (10.0, None)
    assert found[24, 1, 1].calls_per_token == (0.0, 1.0)
    assert found[24, 1, 1].time_per_token_ns == (None, 10.0)
    assert all(one.difference_ns is None and one.slowest is None for one in found.values())


@pytest.mark.parametrize(
    ("times", "slowest"),
    [((10_000, 10_000), None), ((10_000, 10_400), None), ((10_000, 11_000), 1), ((100, 150), None)],
)
def test_the_slowest_is_named_where_it_is_notably_so(
    times: tuple[int, int], slowest: int | None
) -> None:
    """3.8 % is not notable, 9.1 % is; 50 ns are within two ticks of the timer, 64 ns."""
    layouts = {number: [Launch(duration=time)] for number, time in enumerate(times)}
    (signature,) = comparison(run(layouts, count=1)).signatures
    assert signature.slowest == slowest


def test_rows_that_filters_leave_out_are_left_out_here_too() -> None:
    recording = run({0: QUICK, 1: SLOW})
    only = comparison(recording, kernel_pattern="^a$")
    assert [one.kernel for one in only.signatures] == ["a"]
    assert only.collectives == ()
    assert only.waiting_fraction == pytest.approx(0.25)
    shared = comparison(recording, owner="nccl")
    assert shared.signatures == ()
    assert [one.kernel for one in shared.collectives] == [ALL_REDUCE]


def test_the_order_asked_for_is_that_of_the_signatures() -> None:
    layout = [
        Launch(kernel="short and empty", blocks=1, duration=100, start=0),
        Launch(kernel="long and full", blocks=132, duration=300, start=200),
    ]
    recording = run({0: layout, 1: layout})
    by_waste = [one.kernel for one in comparison(recording).signatures]
    by_time = [one.kernel for one in comparison(recording, order="time").signatures]
    assert by_waste == ["short and empty", "long and full"]
    assert by_time == ["long and full", "short and empty"]
    top = top_rows(audit(recording, group="rank"), 1).ranks
    assert top is not None
    assert (len(top.signatures), top.hidden_signatures) == (1, 1)


def test_of_a_rank_on_two_devices_the_one_that_runs_the_tokens_is_compared() -> None:
    beside = [Launch(kernel="h2d", device=1, ranges="decode#0")]
    recording = join_recordings(
        [part(0, [*tokens(QUICK, 2, 1_000), *beside]), part(1, tokens(SLOW, 2, 1_000))]
    )
    found = comparison(recording)
    assert [(one.device, one.further_devices) for one in found.ranks] == [(0, 1), (2, 0)]


def _of_ranks(recording: Recording, ranks: list[int | None]) -> Recording:
    column = pd.array(ranks, dtype="Int64")
    return replace(recording, launches=recording.launches.assign(**{s.RANK: column}))


def test_a_device_of_several_ranks_or_of_none_is_no_rank() -> None:
    recording = run({0: [Launch()], 1: [Launch()]}, count=1)
    assert audit(recording).ranks is not None
    assert audit(_of_ranks(recording, [None, None])).ranks is None
    assert audit(_of_ranks(recording, [0, None])).ranks is None
    assert audit(_of_ranks(recording, [0, 0])).ranks is None


def test_what_has_one_rank_says_how_to_record_all() -> None:
    one = part(0, tokens(QUICK, 2, 1_000))
    options = RankOptions(group="rank", token_options=TokenOptions(token_range="decode"))
    with pytest.raises(InputError, match=r"has only launches of rank 0.*scan --ranks N.*torchrun"):
        rank(one, options)
    with pytest.raises(InputError, match="does not tell its ranks"):
        rank(part(None, tokens(QUICK, 2, 1_000)), options)


def test_a_rank_whose_launches_have_no_time_is_compared_without_figures() -> None:
    timed = run({0: QUICK, 1: QUICK})
    untimed = timed.launches.copy()
    untimed.loc[untimed[s.RANK] == 1, s.DURATION_NS] = pd.NA
    found = comparison(replace(timed, launches=untimed))
    assert found.ranks[0].kernel_time_per_token_ns is not None
    assert found.ranks[1].wall_time_per_token_ns is None
