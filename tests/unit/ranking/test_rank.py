from dataclasses import replace
from typing import Any

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
    # 200 µs to the next token; what follows the last one is not known.
    assert totals.wall_time_per_token_ns == 200_000
    assert totals.gap_time_per_token_ns == 90_000
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
    assert row.geometry.sm_fill == pytest.approx(1 - (11_800 * 120 / 132 + 500) / 12_800)
    assert (row.verdict.name, "GA201" in {f.rule_id for f in row.findings}) == ("starved", True)
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
    assert totals.kernel_time_without_communication_per_token_ns == 100_000
    assert totals.wasted_sm_time_per_token_ns == pytest.approx(
        11_800 * 120 / 132 + 50_000 * 130 / 132
    )


def test_filters_hide_rows_and_say_how_many() -> None:
    library = replace(FULL, owner="cublas")
    assert audit([KDA, library], replace(DECODE, owner="own")).filtered_rows == 1
    assert [r.kernel for r in audit([KDA, library], replace(DECODE, owner="library")).rows] == [
        "full"
    ]
    assert audit([KDA, library], replace(DECODE, owner="cublas")).rows[0].kernel == "full"
    assert audit([KDA, FULL], replace(DECODE, kernel_pattern="^K")).filtered_rows == 1
    assert audit([KDA, FULL], replace(DECODE, minimum_time_ns=20_000)).filtered_rows == 1
    assert top_rows(audit([KDA, FULL]), 1).hidden_rows == 1
    assert top_rows(audit([KDA, FULL]), 0).hidden_rows == 0
    with pytest.raises(InputError, match="not a regular expression"):
        audit([KDA], replace(DECODE, kernel_pattern="("))


def test_the_distance_account_of_the_documents() -> None:
    """Levers of 0.63, 1.21 and 1.0 ms are 49 % of a distance of 5.76 ms (46.88 to 41.12)."""
    layout = [
        Launch(kernel=name, blocks=66, start=start * 1000, duration=2 * ceiling * 1000)
        for name, start, ceiling in [("a", 0, 630), ("b", 2000, 1210), ("c", 5000, 1000)]
    ]
    options = replace(DECODE, target_ns=41_120_000.0)
    account = rank(recording(tokens(layout, 3, 46_880_000)), options).distance
    assert account is not None
    assert account.distance_ns == 5_760_000
    assert [step.kernel_short for step in account.steps] == [None, "b", "c", "a"]
    levers = sum(step.ceiling_ns for step in account.steps[1:])
    assert levers / account.distance_ns == pytest.approx(0.49, abs=0.005)
    assert account.steps[0].ceiling_ns == 46_880_000 - 5_680_000
    assert account.steps[-1].cumulative_fraction == pytest.approx(
        (41_200_000 + 2_840_000) / 5_760_000
    )


def test_what_no_shape_makes_faster_is_no_lever() -> None:
    reduce = Launch(kernel="ncclDevKernel_AllReduce", owner="nccl", blocks=2, start=110_000)
    floor = Launch(kernel="tiny", blocks=1, start=130_000, duration=1000)
    account = audit([KDA, FULL, replace(reduce, duration=9000), floor],
                    replace(DECODE, target_ns=1.0)).distance  # fmt: skip
    assert account is not None
    assert [step.kernel_short for step in account.steps] == [None, "kda"]


def test_levers_on_devices_side_by_side_are_won_once() -> None:
    starved = Launch(kernel="k", blocks=12, duration=90_000)
    both = recording(
        tokens([starved, replace(starved, device=1)], 4, 98_300), (H200, replace(H200, index=1))
    )
    account = rank(both, replace(DECODE, target_ns=50_000.0)).distance
    assert account is not None
    assert account.steps[-1].cumulative_ns == pytest.approx(90_000 * 120 / 132 + 8_300)


def test_filters_choose_the_levers_too() -> None:
    library = replace(FULL, owner="cublas", blocks=66)
    account = audit([KDA, library], replace(DECODE, owner="own", target_ns=1.0)).distance
    assert account is not None
    assert [step.kernel_short for step in account.steps] == [None, "kda"]


def test_an_owner_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="there are own"):
        audit([KDA], replace(DECODE, owner="nosuch"))


def test_a_device_without_steps_is_not_dropped_in_silence() -> None:
    launches = tokens([KDA, FULL], 4, 200_000) + [Launch(kernel="lone", blocks=1, device=1)]
    result = rank(recording(launches, (H200, replace(H200, index=1))), DECODE)
    assert any("device 1: 1 launches" in warning for warning in result.header.warnings)


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


def test_a_bare_sm_count_is_enough_for_fill_and_waste() -> None:
    nameless = recording(tokens([KDA, FULL], 4, 200_000), (RecordedDevice(index=0),))
    result = rank(nameless, replace(DECODE, device=DeviceOverride(sms=132)))
    device = result.header.devices[0]
    assert (device.spec, device.usable_sms, device.sm_count_source) == (None, 132, "--sms")
    assert result.rows[0].geometry.sm_fill == pytest.approx(12 / 132)
    assert result.rows[0].geometry.waves is None
    assert result.rows[0].verdict.name == "starved"


def test_kernels_between_tokens_are_no_gap() -> None:
    sample = Launch(kernel="sample", blocks=1, start=40_000, duration=40_000)
    launches = tokens([replace(FULL, start=0, duration=40_000)], 6, 100_000)
    launches += [replace(sample, start=40_000 + token * 100_000) for token in range(6)]
    totals = rank(recording(launches), DECODE).totals
    assert (totals.wall_time_per_token_ns, totals.gap_time_per_token_ns) == (40_000, 0)


def test_a_copy_that_reaches_into_a_token_is_a_copy_and_no_gap() -> None:
    launches = tokens([replace(FULL, start=10_000, duration=40_000)], 3, 100_000)
    launches.append(Launch(kernel="Memcpy", kind="copy", start=0, duration=8_000, stream=9))
    launches += [
        replace(launches[-1], start=60_000 + token * 100_000, duration=45_000) for token in range(3)
    ]
    totals = rank(recording(launches), DECODE).totals
    # Each copy outlasts its token and covers 5 µs before the next token's kernel starts.
    assert totals.copy_time_per_token_ns == 45_000
    assert totals.gap_time_per_token_ns == 15_000


def test_the_wall_time_of_tokens_that_differ_has_a_range() -> None:
    starts = [0, 100_000, 200_000, 700_000]
    launches = [
        replace(FULL, start=start, duration=40_000, ranges=f"decode#{token}")
        for token, start in enumerate(starts)
    ]
    totals = rank(recording(launches), DECODE).totals
    assert totals.wall_time_min_ns == 100_000
    assert totals.wall_time_median_ns == 100_000
    assert totals.wall_time_max_ns == 500_000
    assert totals.wall_time_per_token_ns == pytest.approx(700_000 / 3)


def test_streams_that_interleave_differently_keep_their_positions() -> None:
    first = [
        Launch(kernel="a", start=0), Launch(kernel="b", start=20),
        Launch(kernel="x", start=5, stream=8), Launch(kernel="y", start=30, stream=8),
    ]  # fmt: skip
    second = [
        replace(launch, start=(launch.start or 0) + 40 * (launch.stream == 8)) for launch in first
    ]
    launches = [
        replace(launch, start=(launch.start or 0) + 1000 * token, ranges=f"decode#{token}")
        for token in range(6)
        for launch in (first, second)[token % 2]
    ]
    rows = rank(recording(launches), replace(DECODE, group="position")).rows
    assert sorted((row.kernel, row.calls_per_token) for row in rows) == [
        ("a", 1), ("b", 1), ("x", 1), ("y", 1),
    ]  # fmt: skip


def test_a_kernel_mostly_under_others_is_not_blamed() -> None:
    beside = Launch(kernel="beside", blocks=8, start=12_000, duration=80_000, stream=9)
    rows = {row.kernel: row for row in audit([KDA, FULL, beside]).rows}
    assert rows["beside"].timing is not None
    assert rows["beside"].timing.overlapped_fraction == pytest.approx(1)
    assert rows["beside"].verdict.name == "inconclusive"
    assert rows["kda"].verdict.name == "starved"


def test_the_pictured_token_is_the_one_of_median_wall_time() -> None:
    starts = [0, 100_000, 150_000, 1_000_000]
    launches = [
        replace(FULL, start=start, duration=10_000 + token, ranges=f"decode#{token}")
        for token, start in enumerate(starts)
    ]
    result = rank(recording(launches), DECODE)
    assert (result.pictured_token, result.pictured_wall_ns) == (0, 100_000)
    assert [bar.duration_ns for bar in result.timeline] == [10_000]


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
    # A share is one of the device the row ran on.
    assert sum(row.time_fraction or 0 for row in result.rows) == pytest.approx(2)


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


def test_launches_below_the_timers_resolution_are_counted() -> None:
    result = audit([KDA, FULL, Launch(kernel="brief", start=110_000, duration=0)])
    assert any(warning.startswith("4 audited launches") for warning in result.header.warnings)
    assert {row.kernel: row.time_per_token_ns for row in result.rows}["brief"] == 0


def test_rows_of_a_verdict_and_of_a_confidence_are_chosen() -> None:
    layout = [
        Launch(kernel="small", duration=50_000, blocks=12),
        Launch(kernel="full", start=60_000, duration=50_000, blocks=132 * 80, threads=256),
        Launch(kernel="between", start=120_000, duration=50_000, blocks=90),
    ]
    whole = recording(tokens(layout, 12, 1_000_000))

    def shown(**choices: Any) -> list[str]:  # noqa: ANN401 - choices of every type
        audit = rank(whole, RankOptions(**choices))
        assert audit.filtered_rows == 3 - len(audit.rows)
        return sorted(row.kernel for row in audit.rows)

    assert shown(verdicts=frozenset({"starved"})) == ["small"]
    assert shown(verdicts=frozenset({"starved", "inconclusive"})) == ["between", "small"]
    assert shown(minimum_confidence="suspected") == ["full", "small"]
    assert shown(minimum_confidence="confirmed") == []


def test_durations_of_0_are_no_time() -> None:
    row = audit([replace(KDA, duration=0), FULL]).rows[-1]
    assert row.kernel == "kda"
    assert row.timing is None
    assert row.verdict.name != "launch_bound"
