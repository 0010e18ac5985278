from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.devices.recorded import RecordedDevice
from geoaudit.devices.resolve import DeviceOverride
from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.launches.recording import TokenOptions
from geoaudit.ranking.audit import Audit, top_rows
from geoaudit.ranking.options import RankOptions
from geoaudit.ranking.rank import rank
from tests.unit.ranking.builders import H200, Launch, recording, tokens

DECODE = RankOptions(token_options=TokenOptions(token_range="decode"))

# One token: a kernel of 12 blocks that takes 11.8 % of the kernel time, and one that is full.
KDA, FULL = (
    Launch(kernel="kda", blocks=12, duration=11_800),
    Launch(kernel="full", blocks=132, start=12_000, duration=88_200),
)


def audit(layout: list[Launch], options: RankOptions = DECODE, count: int = 4) -> Audit:
    return rank(recording(tokens(layout, count, 200_000)), options)


def test_wasted_share_of_the_documents_kernel() -> None:
    first, second = audit([KDA, FULL]).rows
    assert (first.kernel, second.kernel) == ("kda", "full")
    assert first.time_fraction == pytest.approx(0.118)
    assert first.geometry.sm_fill == pytest.approx(0.091, abs=5e-4)
    assert first.wasted_fraction == pytest.approx(0.107, abs=5e-4)
    assert second.wasted_sm_time_per_token_ns == 0


def test_the_order_by_waste_is_not_the_order_by_time() -> None:
    assert [row.kernel for row in audit([KDA, FULL]).rows] == ["kda", "full"]
    by_time = audit([KDA, FULL], replace(DECODE, order="time"))
    assert [row.kernel for row in by_time.rows] == ["full", "kda"]
    assert [row.rank for row in by_time.rows] == [1, 2]


def test_totals_split_the_wall_time_of_a_token() -> None:
    totals = audit([KDA, FULL, Launch(kind="copy", start=120_000, duration=10_000)]).totals
    assert totals.kernel_time_per_token_ns == 100_000
    assert totals.copy_time_per_token_ns == 10_000
    # Three tokens of 200 µs up to the next one, the last one to its own end at 130 µs.
    assert totals.wall_time_per_token_ns == pytest.approx((3 * 200_000 + 130_000) / 4)
    assert totals.gap_time_per_token_ns == pytest.approx(
        (totals.wall_time_per_token_ns or 0) - 110_000
    )
    assert totals.wasted_sm_time_per_token_ns == pytest.approx(11_800 * (1 - 12 / 132))


def test_calls_and_positions_are_per_token() -> None:
    layout = [KDA, FULL, replace(KDA, start=110_000)]
    row = audit(layout).rows[0]
    assert (row.calls_per_token, row.positions) == (2, (0, 2))
    assert row.timing is not None
    assert (row.timing.sites, row.timing.repetitions, row.timing.launches) == (2, 4, 8)
    by_position = audit(layout, replace(DECODE, group="position")).rows
    assert [(row.kernel, row.positions) for row in by_position] == [
        ("kda", (0,)),
        ("kda", (2,)),
        ("full", (1,)),
    ]


def test_a_row_by_kernel_joins_signatures_and_wastes_what_they_waste() -> None:
    layout = [KDA, FULL, replace(KDA, start=110_000, blocks=66, duration=1000)]
    row = audit(layout, replace(DECODE, group="kernel")).rows[0]
    assert (row.kernel, row.signatures, row.shape.grid) == ("kda", 2, (12, 1, 1))
    assert row.wasted_sm_time_per_token_ns == pytest.approx(11_800 * 120 / 132 + 500)


@pytest.mark.parametrize("group", ["kernel", "signature", "position"])
def test_grouping_conserves_time_calls_and_waste(group: str) -> None:
    layout = [KDA, FULL, replace(KDA, start=110_000), replace(KDA, blocks=5, start=125_000)]
    rows = audit(layout, replace(DECODE, group=group)).rows  # type: ignore[arg-type]
    assert sum(row.calls_per_token for row in rows) == 4
    assert sum(row.time_per_token_ns or 0 for row in rows) == pytest.approx(123_600)
    assert sum(row.time_fraction or 0 for row in rows) == pytest.approx(1)


def test_collectives_stand_in_a_group_of_their_own() -> None:
    reduce = Launch(
        kernel="ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        owner="nccl",
        blocks=2,
        start=110_000,
        duration=50_000,
    )
    result = audit([KDA, FULL, reduce])
    assert [row.kernel for row in result.rows] == ["kda", "full"]
    assert [row.verdict.name for row in result.communication_rows] == ["communication"]
    totals = result.totals
    assert totals.wasted_without_communication_per_token_ns == pytest.approx(11_800 * 120 / 132)
    assert totals.wasted_sm_time_per_token_ns == pytest.approx(
        11_800 * 120 / 132 + 50_000 * 130 / 132
    )


def test_filters_hide_rows_and_say_how_many() -> None:
    library = replace(FULL, owner="cublas")
    assert audit([KDA, library], replace(DECODE, owner="own")).hidden_rows == 1
    assert [r.kernel for r in audit([KDA, library], replace(DECODE, owner="library")).rows] == [
        "full"
    ]
    assert audit([KDA, library], replace(DECODE, owner="cublas")).rows[0].kernel == "full"
    assert audit([KDA, FULL], replace(DECODE, kernel_pattern="^k")).hidden_rows == 1
    assert audit([KDA, FULL], replace(DECODE, minimum_time_ns=20_000)).hidden_rows == 1
    assert top_rows(audit([KDA, FULL]), 1).hidden_rows == 1
    assert top_rows(audit([KDA, FULL]), 0).hidden_rows == 0
    with pytest.raises(InputError, match="not a regular expression"):
        audit([KDA], replace(DECODE, kernel_pattern="("))


def test_the_distance_account_adds_ceilings_up() -> None:
    layout = [
        Launch(kernel=name, blocks=66, start=start, duration=2 * ceiling)
        for name, start, ceiling in [("a", 0, 630), ("b", 2000, 1210), ("c", 5000, 1000)]
    ]
    result = rank(
        recording(tokens(layout, 2, 46_880)), replace(DECODE, target_ns=41_120.0 - 18_000)
    )
    assert result.distance is not None
    assert [step.kernel_short for step in result.distance.steps] == ["b", "c", "a"]
    assert result.distance.steps[-1].cumulative_ns == pytest.approx(2840)


def test_an_unknown_device_is_no_waste_and_no_clean_bill() -> None:
    nameless = recording(tokens([KDA, FULL], 4, 200_000), (RecordedDevice(index=0),))
    result = rank(nameless, DECODE)
    assert result.header.devices[0].spec is None
    assert {row.wasted_sm_time_per_token_ns for row in result.rows} == {None}
    assert result.totals.wasted_sm_time_per_token_ns is None
    assert {row.verdict.name for row in result.rows} == {"inconclusive"}
    given = rank(nameless, replace(DECODE, device=DeviceOverride(name="H200")))
    assert given.rows[0].geometry.sm_fill == pytest.approx(12 / 132)


def test_fewer_usable_sms_change_the_fill() -> None:
    result = audit([KDA, FULL], replace(DECODE, device=DeviceOverride(sms=12)))
    assert result.rows[0].geometry.sm_fill == 1


def test_unknown_geometry_is_counted_by_time() -> None:
    result = audit([replace(KDA, blocks=None), FULL])
    assert result.header.geometry_unknown_fraction == pytest.approx(0.118)
    assert "GA902" in {finding.rule_id for finding in result.recording_findings}


def test_only_kernels_are_audited_and_without_any_nothing_is() -> None:
    with pytest.raises(NotMeasuredError, match="no kernel launches"):
        rank(recording([Launch(kind="copy")]), RankOptions())


def test_a_step_class_that_is_not_there_names_those_that_are() -> None:
    with pytest.raises(InputError, match="there are decode"):
        audit([KDA, FULL], replace(DECODE, step_class="prefill"))


def test_without_tokens_figures_are_per_trace() -> None:
    result = rank(recording([KDA, FULL]), RankOptions())
    assert result.header.tokens is None
    assert [row.calls_per_token for row in result.rows] == [1, 1]
    assert result.totals.kernel_time_per_token_ns == 100_000


def test_a_count_of_tokens_without_boundaries_divides_the_totals() -> None:
    options = RankOptions(token_options=TokenOptions(token_count=2))
    result = rank(recording([KDA, FULL]), options)
    assert result.header.tokens == 2
    assert [row.calls_per_token for row in result.rows] == [0.5, 0.5]
    assert result.totals.kernel_time_per_token_ns == 50_000
    assert result.totals.wall_time_per_token_ns == pytest.approx(100_200 / 2)


def test_two_devices_have_rows_of_their_own_and_means_for_totals() -> None:
    layout = [KDA, FULL, replace(KDA, device=1), replace(FULL, device=1)]
    both = recording(tokens(layout, 4, 200_000), (H200, replace(H200, index=1)))
    result = rank(both, DECODE)
    assert sorted((row.device, row.calls_per_token) for row in result.rows) == [
        (0, 1),
        (0, 1),
        (1, 1),
        (1, 1),
    ]
    assert result.totals.kernel_time_per_token_ns == 100_000
    assert sum(row.time_fraction or 0 for row in result.rows) == pytest.approx(1)


def test_launches_without_start_are_ranked_and_their_gaps_are_unknown() -> None:
    result = rank(recording([replace(KDA, start=None), replace(FULL, start=None)]), RankOptions())
    assert result.rows[0].wasted_fraction == pytest.approx(0.107, abs=5e-4)
    assert result.totals.wall_time_per_token_ns is None
    assert result.totals.kernel_time_per_token_ns == 100_000
    assert result.timeline == ()


def test_the_pictured_token_holds_its_launches_with_their_rows() -> None:
    pictured = audit([KDA, FULL]).timeline
    assert [(bar.kernel_short, bar.start_ns, bar.row_rank) for bar in pictured] == [
        ("kda", 0, 1),
        ("full", 12_000, 2),
    ]


@given(
    st.lists(
        st.tuples(st.integers(1, 400), st.integers(1, 5000), st.integers(0, 500)),
        min_size=1,
        max_size=12,
    )
)
def test_on_one_stream_the_rows_waste_sums_to_the_total(
    launches: list[tuple[int, int, int]],
) -> None:
    layout, clock = [], 0
    for number, (blocks, duration, gap) in enumerate(launches):
        layout.append(Launch(kernel=f"k{number}", blocks=blocks, start=clock, duration=duration))
        clock += duration + gap
    result = rank(recording(tokens(layout, 2, clock + 1)), DECODE)
    assert sum(row.wasted_sm_time_per_token_ns or 0 for row in result.rows) == pytest.approx(
        result.totals.wasted_sm_time_per_token_ns
    )
