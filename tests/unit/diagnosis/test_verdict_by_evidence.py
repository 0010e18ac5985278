"""Verdicts that floors, counters and concurrency reach, and the documents' three examples."""

from dataclasses import replace

import pytest

from geoaudit.diagnosis.evidence import Concurrency, SignatureEvidence, WorkPerSm
from geoaudit.diagnosis.verdict import judge
from tests.unit.diagnosis.builders import (
    GB10,
    H200,
    TIGHT,
    WIDE,
    evidence,
    with_counters,
    with_floor,
)


def beside(streams: float, fill: float) -> Concurrency:
    """So much of its time under other streams, which have blocks for so many of the SMs."""
    return Concurrency(
        other_streams=streams, other_contexts=0.0, predecessor=0.0, successor=0.0,
        sm_fill_beside=fill,
    )  # fmt: skip


def test_the_state_update_of_the_documents_is_starved() -> None:
    verdict = judge(with_floor(evidence(12), 900.0))
    assert verdict.name == "starved"
    assert verdict.reason == (
        "87.0 µs against a floor of 900 ns (96.67 times): 12 blocks on 132 SMs (9.1 % have work)"
    )
    assert verdict.ruled_out == (
        "not contention: spread 1.1 % over 69 launches at 12 sites",
        "not the launch itself: 87.0 µs is 123.6 times the launch floor of 704 ns",
        "not bandwidth: 87.0 µs against a floor of 900 ns (96.67 times)",
        "not the device's arithmetic: 90.9 % of its SMs have no block",
    )


def test_the_norm_of_the_documents_has_one_block_too_narrow() -> None:
    case = with_floor(evidence(1, timing=replace(TIGHT, median_ns=20_700.0)), 704.0)
    work = WorkPerSm(working_warps=4, bytes_in_flight=1_024.0, needed_bytes_in_flight=22_114.0)
    verdict = judge(replace(case, work=work))
    assert verdict.name == "starved"
    assert "the width of the block and its bytes in flight are the lever" in verdict.reason
    assert any("1024 B in flight" in line and "21.6 KiB" in line for line in verdict.rests_on)


def test_the_hybrid_attention_of_the_documents_is_at_its_floor_with_a_tail() -> None:
    # 1,280 blocks of 128 threads on 48 SMs, 64 registers: 8 blocks an SM, 3.33 waves.
    timing = replace(TIGHT, median_ns=62_110.0)
    case = with_floor(evidence(1_280, device=GB10, registers=64, timing=timing), 48_900.0)
    verdict = judge(case)
    assert verdict.name == "bandwidth_bound"
    assert verdict.reason.startswith("62.1 µs against a floor of 48.9 µs (1.27 times)")
    assert "a partial last wave takes up to" in verdict.reason
    assert "not starved: 1,280 blocks on 48 SMs (100 % have work)" in verdict.ruled_out
    assert any(line.startswith("not contention") for line in verdict.ruled_out)


def test_a_small_grid_near_its_floor_is_right_as_it_is() -> None:
    assert judge(with_floor(evidence(48), 60_000.0)).name == "bandwidth_bound"


def test_a_full_grid_far_above_its_floor_is_not_healthy() -> None:
    verdict = judge(with_floor(evidence(10_000, 256), 9_000.0))
    assert verdict.name == "inconclusive"
    assert "9.67 times" in verdict.reason
    assert "--counters" in verdict.would_decide


def test_a_floor_that_the_l2_may_serve_is_no_bandwidth_bound() -> None:
    assert H200.l2_bytes is not None
    inside = with_floor(evidence(10_000, 256), 80_000.0, touched_bytes=H200.l2_bytes - 1)
    outside = with_floor(evidence(10_000, 256), 80_000.0, touched_bytes=H200.l2_bytes + 1)
    assert judge(inside).name == "healthy"
    assert judge(outside).name == "bandwidth_bound"


def test_a_persistent_grid_far_above_its_floor_is_not_healthy() -> None:
    assert judge(evidence(264, 1_024)).name == "healthy"
    assert judge(with_floor(evidence(264, 1_024), 9_000.0)).name == "inconclusive"


def test_264_blocks_of_which_one_works_are_imbalanced() -> None:
    verdict = judge(with_counters(evidence(264, 256), sm_active=0.03, compute=0.01))
    assert (verdict.name, verdict.confidence) == ("imbalanced", "confirmed")
    assert "SMs have a warp 3.0 % of 87.0 µs" in verdict.reason


def test_counted_traffic_of_a_copy_is_bandwidth_bound_whatever_the_compulsory_bytes() -> None:
    # 87 µs at 4.17 TB/s is 363 MB.
    verdict = judge(with_counters(evidence(10_000, 256), sm_active=0.97, dram_bytes=300e6))
    assert (verdict.name, verdict.confidence) == ("bandwidth_bound", "confirmed")
    assert "82.7 % of what a copy moves" in verdict.reason
    assert "71.94 times its compulsory bytes" in verdict.reason


def test_steady_contention_is_told_by_what_runs_beside_it_and_not_by_the_spread() -> None:
    full = replace(evidence(10_000, 256), concurrency=beside(0.97, 0.9))
    verdict = judge(full)
    assert verdict.name == "contended"
    assert "97.0 % of its time is under kernels of other streams" in verdict.reason
    small = replace(evidence(12), concurrency=beside(0.97, 0.5))
    assert judge(small).name == "inconclusive"
    assert judge(replace(small, concurrency=beside(0.1, 0.5))).name == "starved"


def test_a_predecessor_that_overlaps_is_no_other_stream() -> None:
    timing = replace(TIGHT, overlapped_fraction=0.9)
    alone = replace(evidence(12, timing=timing), concurrency=beside(0.0, 0.0))
    assert judge(evidence(12, timing=timing)).name == "inconclusive"
    verdict = judge(alone)
    assert verdict.name == "starved"
    assert "not other streams: 0 % of its time is under other kernels" in verdict.ruled_out


@pytest.mark.parametrize(
    ("in_flight", "expected"), [(8_192.0, "occupancy_limited"), (65_536.0, "inconclusive")]
)
def test_too_few_warps_are_a_limit_only_where_too_few_bytes_fly(
    in_flight: float, expected: str
) -> None:
    work = WorkPerSm(working_warps=16, bytes_in_flight=in_flight, needed_bytes_in_flight=22_114.0)
    verdict = judge(replace(with_floor(evidence(512), 9_000.0), work=work))
    assert verdict.name == expected
    assert "21.6 KiB" in verdict.reason


def test_a_wide_spread_leaves_what_was_counted() -> None:
    case = with_counters(evidence(264, 256, timing=WIDE), sm_active=0.03)
    assert judge(case).name == "imbalanced"


def test_all_evidence_is_told_one_sentence_each() -> None:
    case = with_counters(evidence(12), sm_active=0.09, compute=0.02, dram_bytes=3e6)
    verdict = judge(replace(case, concurrency=beside(0.0, 0.0)))
    assert [line.split(":")[0] for line in verdict.rests_on] == [
        "grid", "time", "floor", "concurrency", "counters",
    ]  # fmt: skip
    assert (
        "not arithmetic: counted, no unit of an SM that has work is above 22.2 % of its peak"
        in verdict.ruled_out
    )


def test_arithmetic_is_not_ruled_out_where_the_few_sms_with_work_are_busy_with_it() -> None:
    verdict = judge(with_counters(evidence(12), sm_active=0.09, compute=0.088))
    assert not any(line.startswith("not arithmetic:") for line in verdict.ruled_out)
    assert "not the device's arithmetic: 90.9 % of its SMs have no block" in verdict.ruled_out


def test_a_spread_that_all_kernels_share_is_not_called_contention() -> None:
    drifting = replace(WIDE, common_factor_range=0.4, relative_mad_without_common_factor=0.01)
    verdict = judge(evidence(10_000, 256, timing=drifting))
    assert verdict.name == "inconclusive"
    assert "all kernels of a token moved together" in verdict.reason
    assert judge(evidence(10_000, 256, timing=WIDE)).name == "contended"


def test_launches_cut_by_time_slices_are_contended_and_the_median_stays() -> None:
    sliced = replace(
        TIGHT, launches=240, mean_ns=183_600.0, median_ns=109_600.0, outliers=10,
        outlier_excess_ns=1_972_887.0,
    )  # fmt: skip
    verdict = judge(with_floor(evidence(7_000, 256, timing=sliced), 109_600.0))
    assert (verdict.name, verdict.confidence) == ("contended", "suspected")
    assert "10 of 240 launches took about 1.97 ms longer" in verdict.reason
    few = replace(sliced, outliers=1, mean_ns=117_800.0)
    assert judge(with_floor(evidence(7_000, 256, timing=few), 109_600.0)).name == "bandwidth_bound"


def test_a_tail_is_not_taken_for_busy_arithmetic_nor_for_imbalance() -> None:
    # 1.02 waves: half of the SMs idle half of the time, by geometry.
    assert judge(with_counters(evidence(1_077, 256), sm_active=0.49, compute=0.65)).name == "tail"


def test_groups_trends_and_outliers_are_told_of_what_is_tight() -> None:
    timing = replace(
        TIGHT, bimodal_fraction=0.75, mode_distance=0.4, drift_fraction=0.6, drift=-0.02,
        outliers=3, outlier_excess_ns=960.0, outlier_max_excess_ns=1_140.0,
    )  # fmt: skip
    told = judge(evidence(12, timing=timing)).rests_on
    assert "two groups: 40.0 % apart, at 75.0 % of the sites" in told
    assert "drift: durations fall by 2.0 %, at 60.0 % of the sites" in told
    assert (
        "outliers: 3 launches far above the others of their site, by 960 ns typically and "
        "1.14 µs at most; they count in all figures"
    ) in told
    pooled = judge(evidence(12, timing=replace(timing, sites=None))).rests_on
    assert {"two groups: 40.0 % apart", "drift: durations fall by 2.0 %"} <= set(pooled)
    assert not any("site," in line or "of the sites" in line for line in pooled)
    quiet = judge(evidence(12, timing=replace(timing, drift_fraction=0.4, outliers=0))).rests_on
    assert not any(line.startswith(("drift", "outliers")) for line in quiet)


def measured(
    median_ns: float, *, latency_ns: float | None = 300.0, blocks: int = 12
) -> SignatureEvidence:
    """A launch on a device whose empty kernel takes 704 ns."""
    case = with_floor(evidence(blocks, timing=replace(TIGHT, median_ns=median_ns)), 704.0)
    assert case.floor is not None
    return replace(case, floor=replace(case.floor, latency_ns=latency_ns))


def test_what_an_empty_kernel_took_decides_what_is_launch_bound() -> None:
    # 1.6 times (704 + 300) ns.
    verdict = judge(measured(1_606.0))
    assert (verdict.name, verdict.would_decide) == ("launch_bound", "")
    assert verdict.reason == (
        "median 1.61 µs is within 1.6 times the launch floor of 704 ns and the 300 ns of a trip to "
        "memory: another shape wins little, fewer launches do"
    )
    assert "not starved: no grid takes less than the launch floor of 704 ns" in verdict.ruled_out
    assert judge(measured(1_608.0)).name == "starved"
    assert judge(measured(1_608.0, latency_ns=None)).name == "starved"
    assert judge(measured(1_126.0, latency_ns=None)).name == "launch_bound"


@pytest.mark.parametrize("median_ns", [1_000.0, 2_400.0, 20_300.0])
def test_one_launch_floor_is_told_of_one_launch(median_ns: float) -> None:
    verdict = judge(measured(median_ns))
    told = " ".join((verdict.reason, *verdict.rests_on, *verdict.ruled_out, verdict.would_decide))
    assert "704 ns" in told
    assert "2.50 µs" not in told


def test_a_wait_for_the_predecessor_is_no_work_of_a_launch() -> None:
    case = measured(2_400.0)
    assert case.floor is not None
    waited = replace(case, floor=replace(case.floor, own_time_ns=1_200.0))
    assert judge(waited).name == "launch_bound"


def test_bytes_at_an_unknown_bandwidth_make_no_floor() -> None:
    case = with_floor(evidence(10_000, 256), 50_000.0)
    assert case.floor is not None
    unknown = replace(case.floor, bandwidth_bytes_per_second=None, floor_ratio=None)
    verdict = judge(replace(case, floor=unknown))
    (line,) = (line for line in verdict.rests_on if line.startswith("floor"))
    assert line == (
        "floor: unknown: 199 MiB of compulsory bytes, and a bandwidth that nobody tells "
        "(--device NAME)"
    )
    assert "--device" in verdict.would_decide
    assert "--bytes" not in verdict.would_decide


def test_an_undecided_spread_tells_its_interval_and_its_groups() -> None:
    timing = replace(
        TIGHT, launches=60, sites=1, relative_mad=0.002, relative_mad_low=0.001,
        relative_mad_high=0.052, spread="undecided", bimodal_fraction=1.0, mode_distance=0.055,
    )  # fmt: skip
    lines = judge(evidence(10_000, 256, timing=timing)).rests_on
    assert (
        "time: median 87.0 µs; undecided: spread 0.2 % (95 % interval 0.1 % to 5.2 %) over 60 "
        "launches at 1 site"
    ) in lines
    assert "two groups: 5.5 % apart, at 100 % of the sites" in lines


def test_three_repetitions_say_that_they_cannot_tell() -> None:
    timing = replace(TIGHT, launches=36, repetitions=3, spread="undecided", relative_mad=0.003)
    verdict = judge(evidence(12, timing=timing))
    assert not any(line.startswith("not contention") for line in verdict.ruled_out)
    (line,) = (line for line in verdict.rests_on if line.startswith("time"))
    assert line.endswith("no site has the 10 launches that tell: record more tokens")


CONTENDED = replace(evidence(10_000, 256), concurrency=beside(0.97, 1.0))
COUNTED = with_counters(evidence(2_112, 256), sm_active=0.97, compute=0.9, dram_bytes=1e6)


@pytest.mark.parametrize(
    ("case", "name", "alternative"),
    [
        (with_floor(evidence(10_000, 256), 70_000.0), "bandwidth_bound", "not starved"),
        (COUNTED, "compute_bound", "not bandwidth"),
        (CONTENDED, "contended", "not starved"),
        (replace(measured(1_700.0), twin="other"), "dud", "not starved: on the same grid other"),
        (
            with_counters(evidence(2_112, 256), sm_active=0.03, compute=0.01, dram_bytes=1e6),
            "imbalanced",
            "not a tail",
        ),
        (measured(1_000.0), "launch_bound", "not contention"),
        (evidence(90), "inconclusive", "not contention"),
    ],
)
def test_every_verdict_says_what_it_rules_out(
    case: SignatureEvidence, name: str, alternative: str
) -> None:
    verdict = judge(case)
    assert verdict.name == name
    assert any(line.startswith(alternative) for line in verdict.ruled_out)


def test_nothing_is_ruled_out_that_the_verdict_says() -> None:
    for case, what in (
        (CONTENDED, "not contention"),
        (COUNTED, "not arithmetic"),
        (with_floor(evidence(10_000, 256), 70_000.0), "not bandwidth"),
        (evidence(12), "not starved"),
    ):
        assert not any(line.startswith(what) for line in judge(case).ruled_out)
