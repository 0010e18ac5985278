"""What interventions make of verdicts."""

from dataclasses import replace

from geoaudit.diagnosis.evidence import Concurrency, SignatureEvidence
from geoaudit.diagnosis.verdict import judge
from geoaudit.launches.interventions import BlockCount, Intervention
from tests.unit.diagnosis.builders import TIGHT, evidence, with_counters


def sweep(
    setting: str, blocks: int, threads: int, duration_ns: int, kernel: str = "k"
) -> BlockCount:
    return BlockCount(
        kernel_short=kernel,
        setting=setting,
        grid_blocks=blocks,
        block_threads=threads,
        durations_ns=(duration_ns,) * 12,
    )


def repeated(
    case: SignatureEvidence, *tried: BlockCount, alone: int = 87_000, in_situ: int = 87_000
) -> SignatureEvidence:
    """The same, repeated alone and under other shapes."""
    assert case.shape.grid is not None
    assert case.shape.block is not None
    intervention = Intervention(
        kernel_short="k",
        grid=case.shape.grid,
        block=case.shape.block,
        dynamic_shared_bytes=0,
        position=3,
        alone_ns=(alone,) * 12,
        in_situ_ns=(in_situ,) * 12,
        sweep=tried,
    )
    return replace(case, interventions=(intervention,))


def test_a_time_that_falls_with_blocks_confirms_that_they_are_not_there() -> None:
    verdict = judge(repeated(evidence(12), sweep("KDA_VALUE_TILE=16", 96, 256, 8_700)))
    assert (verdict.name, verdict.confidence) == ("starved", "confirmed")
    assert verdict.reason.endswith(
        "KDA_VALUE_TILE=16, 96 blocks of 256 threads: 10.0 times as fast alone"
    )
    assert verdict.ruled_out[0] == "not contention: alone it takes 100 % of its time in the token"


def test_one_block_that_is_right_is_confirmed_by_its_width() -> None:
    verdict = judge(repeated(evidence(1), sweep("WIDE_NORM=1", 1, 1_024, 11_000)))
    assert (verdict.name, verdict.confidence) == ("starved", "confirmed")
    assert "WIDE_NORM=1, 1 block of 1,024 threads: 7.9 times as fast" in verdict.reason


def test_more_blocks_that_change_nothing_overturn_it() -> None:
    verdict = judge(repeated(evidence(12), sweep("SPLIT=4", 48, 128, 86_000)))
    assert (verdict.name, verdict.confidence) == ("serial", "confirmed")


def test_more_blocks_of_another_kernel_that_take_as_long_prove_nothing() -> None:
    verdict = judge(repeated(evidence(12), sweep("SPLIT=4", 48, 128, 86_000, "another")))
    assert (verdict.name, verdict.confidence) == ("starved", "suspected")


def test_more_blocks_that_cost_time_leave_it_open() -> None:
    verdict = judge(repeated(evidence(12), sweep("SPLIT=4", 48, 128, 120_000)))
    assert (verdict.name, verdict.confidence) == ("inconclusive", None)
    assert "more blocks do not help" in verdict.reason


def test_between_starved_and_full_a_sweep_decides() -> None:
    assert judge(evidence(90)).name == "inconclusive"
    verdict = judge(repeated(evidence(90), sweep("WIDE=1", 132, 128, 60_000)))
    assert (verdict.name, verdict.confidence) == ("starved", "confirmed")
    assert "neither" not in verdict.reason
    more = judge(repeated(evidence(90), sweep("WIDE=1", 360, 128, 22_000)))
    assert more.name == "inconclusive"


def test_another_kernel_or_more_than_empty_sms_explain_confirms_nothing() -> None:
    other = sweep("WIDE_GEMV=1", 134, 256, 17_000, kernel="k_wide")
    verdict = judge(repeated(evidence(34), other))
    assert (verdict.name, verdict.confidence) == ("starved", "suspected")
    assert "134 blocks of 256 threads of k_wide: 5.1 times as fast alone" in verdict.reason
    more = judge(repeated(evidence(60), sweep("SPLIT=4", 240, 128, 17_000)))
    assert (more.name, more.confidence) == ("starved", "suspected")


def test_an_arm_that_changes_the_blocks_alone_counts_before_one_that_widens_them() -> None:
    clean, wide = sweep("A=1", 24, 128, 87_000), sweep("B=1", 24, 1_024, 60_000)
    assert judge(repeated(evidence(12), clean, wide)).name == "serial"


def test_a_sweep_alone_says_nothing_where_alone_is_not_as_in_the_token() -> None:
    fast = sweep("A=1", 96, 128, 20_000)
    slower_alone = judge(repeated(evidence(12), fast, alone=200_000))
    assert (slower_alone.name, slower_alone.confidence) == ("starved", "suspected")
    under = Concurrency(
        other_streams=1.0, other_contexts=0.0, predecessor=0.0, successor=0.0, sm_fill_beside=0.7
    )
    shared = judge(repeated(replace(evidence(12), concurrency=under), fast))
    assert shared.name == "inconclusive"
    assert not any("not contention" in line for line in shared.ruled_out)


def test_a_few_blocks_more_do_not_show_that_more_change_nothing() -> None:
    verdict = judge(repeated(evidence(12), sweep("A=1", 13, 128, 87_000)))
    assert (verdict.name, verdict.confidence) == ("starved", "suspected")


def test_times_of_nothing_are_no_sweep() -> None:
    verdict = judge(repeated(evidence(12), sweep("A=1", 96, 128, 0)))
    assert (verdict.name, verdict.confidence) == ("starved", "suspected")


def test_contention_is_confirmed_or_overturned_alone() -> None:
    beside = Concurrency(
        other_streams=0.97, other_contexts=0.0, predecessor=0.0, successor=0.0, sm_fill_beside=1.0
    )
    contended = replace(evidence(10_000, 256), concurrency=beside)
    assert judge(contended).confidence == "suspected"
    verdict = judge(repeated(contended, alone=45_000))
    assert (verdict.name, verdict.confidence) == ("contended", "confirmed")
    assert "alone it takes 51.7 % of its time in the token" in verdict.reason
    assert judge(repeated(contended)).name == "inconclusive"


def test_a_launch_that_waits_for_its_predecessor_is_not_compared_alone() -> None:
    head = Concurrency(
        other_streams=0.0, other_contexts=0.0, predecessor=0.5, successor=0.0, sm_fill_beside=0.0
    )
    case = replace(evidence(12, timing=TIGHT), concurrency=head)
    verdict = judge(repeated(case, alone=40_000))
    assert verdict.name == "starved"
    assert not any("alone" in sentence for sentence in verdict.ruled_out)


UNFILLED = evidence(132, 128)


def test_more_blocks_that_help_where_slots_are_empty_confirm_it() -> None:
    assert judge(UNFILLED).name == "inconclusive"
    verdict = judge(repeated(UNFILLED, sweep("SPLIT=2", 264, 128, 74_000)))
    assert (verdict.name, verdict.confidence) == ("occupancy_limited", "confirmed")
    assert "6.2 % of the thread slots are filled; SPLIT=2, 264 blocks" in verdict.reason
    assert "open" not in verdict.reason
    assert judge(repeated(UNFILLED, sweep("SPLIT=2", 264, 128, 84_000))).name == "inconclusive"
    other = sweep("SPLIT=2", 264, 128, 40_000, "k_wide")
    assert judge(repeated(UNFILLED, other)).name == "inconclusive"


WAITING = with_counters(evidence(2_112, 256), sm_active=0.97, compute=0.1, dram_bytes=1e6)


def test_a_chain_that_another_shape_shortens_is_none() -> None:
    assert judge(WAITING).name == "serial"
    verdict = judge(repeated(WAITING, sweep("SPLIT=2", 4_224, 256, 33_000)))
    assert verdict.name == "inconclusive"
    assert "each thread waits for itself" not in verdict.reason
    assert "SPLIT=2, 4,224 blocks of 256 threads: 2.6 times as fast alone" in verdict.reason


def test_other_code_that_waits_less_leaves_a_chain_what_it_is() -> None:
    other = sweep("WIDE_GEMV=1", 4_224, 256, 33_000, "k_wide")
    verdict = judge(repeated(WAITING, other))
    assert (verdict.name, verdict.confidence) == ("serial", "suspected")
    assert verdict.reason.endswith(
        "each thread waits for itself; other code for the same work waits less: WIDE_GEMV=1, 4,224 "
        "blocks of 256 threads of k_wide: 2.6 times as fast alone"
    )


def test_what_is_ruled_out_alone_stays_beside_an_open_verdict() -> None:
    verdict = judge(repeated(UNFILLED))
    assert verdict.ruled_out[0] == "not contention: alone it takes 100 % of its time in the token"
