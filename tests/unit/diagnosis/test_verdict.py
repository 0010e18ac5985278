from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.diagnosis.evidence import Timing
from geoaudit.diagnosis.finding import VERDICTS
from geoaudit.diagnosis.recognition import Spread, spread_of
from geoaudit.diagnosis.thresholds import DEFAULT_THRESHOLDS, Thresholds
from geoaudit.diagnosis.verdict import judge
from tests.unit.diagnosis.builders import (
    B200,
    GB10,
    H200,
    TIGHT,
    WIDE,
    clustered,
    evidence,
    with_counters,
    with_floor,
)


def test_a_tight_small_grid_is_starved_and_contention_is_ruled_out() -> None:
    verdict = judge(evidence(12))
    assert (verdict.name, verdict.confidence) == ("starved", "suspected")
    assert verdict.reason == (
        "12 blocks on 132 SMs (9.1 % have work), and each launch takes 87.0 µs"
    )
    assert verdict.ruled_out == (
        "not contention: spread 1.1 % over 69 launches at 12 sites",
        "not the launch itself: 87.0 µs is 34.8 times the default launch floor of 2.50 µs",
        "not the device's arithmetic: 90.9 % of its SMs have no block",
    )
    assert verdict.would_decide


def test_a_standard_deviation_alone_rules_contention_out() -> None:
    timing = Timing(launches=10, median_ns=87_000.0, mean_ns=87_000.0, std_ns=982.0, repetitions=10)
    verdict = judge(evidence(12, timing=timing))
    assert verdict.name == "starved"
    assert verdict.ruled_out[0] == (
        "not contention: standard deviation 982 ns, 1.1 % of the median, over 10 launches at 1 site"
    )


def test_87_us_plus_minus_30_us_is_another_diagnosis() -> None:
    timing = Timing(
        launches=40, median_ns=87_000.0, mean_ns=87_000.0, std_ns=30_000.0, repetitions=40
    )
    verdict = judge(evidence(12, timing=timing))
    assert (verdict.name, verdict.confidence) == ("inconclusive", None)
    assert "timed alone" in verdict.would_decide
    assert "counters" in verdict.would_decide


def test_one_block_may_be_right_and_its_width_the_lever() -> None:
    verdict = judge(evidence(1))
    assert verdict.name == "starved"
    assert "1 block on 132 SMs (0.8 % have work)" in verdict.reason
    assert "the width of the block" in verdict.reason


def test_a_reduction_of_four_blocks_alone_is_starved() -> None:
    timing = replace(TIGHT, overlapped_fraction=0.0)
    verdict = judge(evidence(4, device=B200, timing=timing))
    assert verdict.name == "starved"
    assert "not other streams: 0 % of its time is under other kernels" in verdict.ruled_out


def test_the_same_reduction_under_another_streams_kernel_is_not_blamed() -> None:
    timing = replace(TIGHT, overlapped_fraction=1.0)
    verdict = judge(evidence(4, device=B200, timing=timing))
    assert verdict.name == "inconclusive"
    assert "100 % of its time is under other kernels" in verdict.reason


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [(65, "starved"), (66, "inconclusive"), (105, "inconclusive"), (1050, "healthy")],
)
def test_share_of_the_sms_decides(blocks: int, expected: str) -> None:
    assert judge(evidence(blocks, threads=256)).name == expected


def test_a_median_at_the_launch_floor_is_launch_bound_however_small_the_grid() -> None:
    at_floor = replace(TIGHT, median_ns=2_500.0)
    assert judge(evidence(1, timing=at_floor)).name == "launch_bound"
    assert judge(evidence(None, timing=at_floor)).name == "launch_bound"
    assert judge(evidence(1, timing=replace(TIGHT, median_ns=2_501.0))).name == "starved"


def test_the_launch_floor_can_be_set() -> None:
    thresholds = Thresholds(launch_floor_ns=100_000.0)
    assert judge(evidence(12), thresholds).name == "launch_bound"


def test_a_dud_launch_is_launch_bound() -> None:
    dud = replace(TIGHT, median_ns=1_400.0)
    assert judge(evidence(32 * 40, 32, device=GB10, timing=dud)).name == "launch_bound"


@pytest.mark.parametrize(
    ("kernel", "owner"),
    [
        ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)", "nccl"),
        ("void vllm::cross_device_reduce_1stage<__half, 8>(RankData*)", "own"),
        ("void flashinfer::allreduce_fusion_kernel_oneshot_lamport<>()", "own"),
    ],
)
def test_collectives_are_small_by_design(kernel: str, owner: str) -> None:
    assert judge(replace(evidence(1), kernel=kernel, owner=owner)).name == "communication"


@pytest.mark.parametrize(
    "kernel",
    [
        "void at::native::reduce_kernel<512, 1>(at::native::ReduceOp<float>)",
        "void cublasLt::splitKreduce_kernel<32, 16, int, float>(int)",
        "void at::native::index_copy_kernel<float>()",
        "gather_rows(float*)",
        "small_reduce_kernel(float*)",
    ],
)
def test_other_reductions_and_gathers_are_no_collectives(kernel: str) -> None:
    assert judge(replace(evidence(1), kernel=kernel)).name == "starved"


def test_tail_of_a_wave_that_just_began() -> None:
    # 256 threads of 32 registers: 8 resident blocks per SM, 1,056 at once.
    verdict = judge(evidence(1_077, 256))
    assert verdict.name == "tail"
    assert "1.02 waves: the partial last wave loses 49.0 %" in verdict.reason
    assert "equally long" in verdict.reason


@pytest.mark.parametrize("blocks", [1_869, 1_056, 4 * 1_056, 5 * 1_056 + 20])
def test_no_tail_where_waves_come_out_or_are_many(blocks: int) -> None:
    assert judge(evidence(blocks, 256)).name == "healthy"


def test_registers_that_keep_warps_away() -> None:
    verdict = judge(evidence(2_000, 384, registers=168))
    assert verdict.name == "occupancy_limited"
    assert "registers let an SM hold only 1 block: theoretical occupancy 18.8 %" in verdict.reason
    assert "counters" in verdict.would_decide


def test_shared_memory_that_keeps_warps_away() -> None:
    verdict = judge(evidence(2_000, 256, shared_bytes=160 * 1024))
    assert verdict.name == "occupancy_limited"
    assert "shared memory let an SM hold only 1 block" in verdict.reason


PERSISTENT = "resident at once, the shape of a persistent kernel"


@pytest.mark.parametrize("per_sm", [4, 8])
def test_a_persistent_grid_is_not_blamed(per_sm: int) -> None:
    verdict = judge(evidence(132 * per_sm, 256))
    assert verdict.name == "healthy"
    assert f"{per_sm} x 132 SMs and {PERSISTENT}" in verdict.reason


def test_a_persistent_kernel_of_low_occupancy_is_not_blamed() -> None:
    verdict = judge(evidence(132, 384, registers=168))
    assert verdict.name == "healthy"
    assert PERSISTENT in verdict.reason


@pytest.mark.parametrize("blocks", [132, 133, 264])
def test_few_threads_on_every_sm_are_not_persistent(blocks: int) -> None:
    # 132 x 32 threads fill 1.6 % of the thread slots and 1 of 32 block slots.
    verdict = judge(evidence(blocks, 32))
    assert verdict.name == "inconclusive"
    assert "of the thread slots are filled" in verdict.reason


def test_more_blocks_per_sm_than_are_resident_are_not_persistent() -> None:
    # 8 blocks of 256 threads are resident per SM: 9 x 132 blocks are 1.125 waves.
    assert judge(evidence(132 * 9, 256)).name == "tail"
    assert PERSISTENT not in judge(evidence(132 * 16, 256)).reason


def test_a_multiple_of_the_sms_is_not_persistent_without_residency() -> None:
    # Elementwise grids are often such a multiple: 888 = 6 x 148.
    verdict = judge(evidence(888, 512, device=B200, registers=None))
    assert verdict.name == "inconclusive"
    assert "how many blocks an SM holds is unknown" in verdict.reason


def test_one_wide_block_per_sm_is_resident_without_registers() -> None:
    assert judge(evidence(132, 1024, registers=None)).name == "healthy"
    assert judge(evidence(132, 512, registers=None)).name == "inconclusive"


@pytest.mark.parametrize(
    ("active", "expected", "words"),
    [
        (33, "healthy", PERSISTENT),
        (32, "tail", "1.03 waves"),
        (None, "inconclusive", "how many of its clusters are active at once is unknown"),
        (0, "inconclusive", "impossible on the device"),
    ],
)
def test_clusters_are_resident_as_far_as_they_are_active(
    active: int | None, expected: str, words: str
) -> None:
    verdict = judge(clustered(132, 384, active=active, registers=168))
    assert verdict.name == expected
    assert words in verdict.reason


@pytest.mark.parametrize(
    ("median_ns", "is_near"), [(2_501.0, True), (3_000.0, True), (3_001.0, False)]
)
def test_a_row_near_the_launch_floor_says_so(median_ns: float, is_near: bool) -> None:
    timing = replace(TIGHT, median_ns=median_ns)
    for case in (evidence(12, timing=timing), evidence(None, timing=timing)):
        near = judge(case).reason.endswith("; near the default launch floor of 2.50 µs")
        assert near is is_near
    collective = replace(evidence(12, timing=timing), owner="nccl")
    assert "launch floor" not in judge(collective).reason


def test_a_wide_spread_over_sites_not_told_apart_is_no_evidence() -> None:
    pooled = replace(WIDE, sites=None)
    verdict = judge(evidence(12, timing=pooled))
    assert verdict.name == "starved"
    assert not any("contention" in sentence for sentence in verdict.ruled_out)
    assert judge(evidence(10_000, 256, timing=pooled)).name == "healthy"
    assert spread_of(pooled, DEFAULT_THRESHOLDS) == Spread(
        name="undecided",
        sentence="spread 24.6 % over 69 launches; call sites are not told apart (no tokens)",
    )


def test_a_tight_spread_over_sites_not_told_apart_is_evidence() -> None:
    verdict = judge(evidence(12, timing=replace(TIGHT, sites=None)))
    assert verdict.ruled_out[0] == (
        "not contention: spread 1.1 % over 69 launches; call sites are not told apart (no tokens)"
    )


@pytest.mark.parametrize(
    ("std_ns", "launches", "expected"),
    [
        (2_400.0, 12, "tight"),
        (2_400.0, 9, "undecided"),
        (3_900.0, 12, "undecided"),
        (13_000.0, 40, "undecided"),
        (14_000.0, 40, "wide"),
        (14_000.0, 12, "undecided"),
    ],
)
def test_a_spread_from_figures_alone_keeps_its_margin(
    std_ns: float, launches: int, expected: str
) -> None:
    timing = Timing(
        launches=launches,
        median_ns=87_000.0,
        mean_ns=87_000.0,
        std_ns=std_ns,
        repetitions=launches,
    )
    assert spread_of(timing, DEFAULT_THRESHOLDS).name == expected


def test_every_verdict_that_is_reached_is_reached() -> None:
    at_floor = replace(TIGHT, median_ns=1_000.0)
    cases = (
        evidence(12),
        evidence(1_077, 256),
        evidence(2_000, 384, registers=168),
        with_counters(evidence(264, 256), sm_active=0.03, compute=0.01),
        with_counters(evidence(10_000, 256), sm_active=0.98, compute=0.05, dram_bytes=1e6),
        evidence(12, timing=at_floor),
        replace(evidence(1_280, timing=at_floor), twin="attend_hybrid"),
        with_floor(evidence(10_000, 256), 80_000.0),
        with_counters(evidence(10_000, 256), sm_active=0.98, compute=0.9),
        evidence(10_000, 256, timing=WIDE),
        replace(evidence(12), owner="nccl"),
        evidence(10_000, 256),
        evidence(None),
    )
    assert tuple(judge(case).name for case in cases) == VERDICTS


def test_blocks_on_every_sm_with_too_few_threads_do_not_pass() -> None:
    verdict = judge(evidence(512, 128, device=B200))
    assert verdict.name == "inconclusive"
    assert "21.6 % of the thread slots" in verdict.reason


def test_unknown_grid_device_or_time_is_inconclusive_and_says_what_would_decide() -> None:
    for unknown in (
        evidence(None),
        evidence(12, device=None),
        evidence(12, timing=None),
        evidence(400, registers=None),
        evidence(0),
        evidence(12, threads=1024, registers=128),
    ):
        verdict = judge(unknown)
        assert verdict.name == "inconclusive", unknown
        assert verdict.would_decide


def test_a_starved_grid_needs_no_registers_to_be_seen() -> None:
    assert judge(evidence(12, registers=None)).name == "starved"


def test_a_full_grid_whose_durations_do_not_repeat_is_contended() -> None:
    assert judge(evidence(10_000, 256)).name == "healthy"
    verdict = judge(evidence(10_000, 256, timing=WIDE))
    assert (verdict.name, verdict.confidence) == ("contended", "suspected")
    assert "timed alone" in verdict.would_decide


def test_overlap_does_not_take_a_healthy_verdict_back() -> None:
    timing = replace(TIGHT, overlapped_fraction=1.0)
    assert judge(evidence(10_000, 256, timing=timing)).name == "healthy"


def test_few_launches_rule_contention_neither_in_nor_out() -> None:
    once = Timing(launches=1, median_ns=87_000.0, mean_ns=87_000.0)
    verdict = judge(evidence(12, timing=once))
    assert verdict.name == "starved"
    assert not any("contention" in sentence for sentence in verdict.ruled_out)


@pytest.mark.parametrize("registers", [64, 80, 128])
def test_a_kernel_at_its_byte_floor_with_a_full_grid_is_not_starved(registers: int) -> None:
    # 1,280 blocks of 128 threads on 48 SMs: 3.33, 4.44 and 6.67 waves.
    timing = replace(TIGHT, median_ns=62_110.0)
    assert judge(evidence(1_280, device=GB10, registers=registers, timing=timing)).name != "starved"


@given(
    blocks=st.integers(1, 10_000),
    threads=st.integers(1, 1_024),
    registers=st.integers(1, 255),
    median_ns=st.floats(1, 1e9),
)
def test_every_verdict_has_a_reason_and_doubt_says_what_decides(
    blocks: int, threads: int, registers: int, median_ns: float
) -> None:
    timing = replace(TIGHT, median_ns=median_ns)
    case = evidence(blocks, threads, registers=registers, timing=timing)
    verdict = judge(case)
    assert verdict.reason
    assert (verdict.confidence is None) == (verdict.name == "inconclusive")
    assert verdict.would_decide or verdict.name in ("healthy", "communication")
    assert verdict.name in VERDICTS
    if verdict.name == "starved":
        assert case.geometry.sm_fill is not None
        assert case.geometry.sm_fill < 0.5
        assert median_ns > 2_500
    assert case.device is H200
