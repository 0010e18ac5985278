"""Worked examples: what each grid does as ranks grow, and which rule says so."""

from dataclasses import replace

import pytest

from geoaudit.shardcheck.report import SiteReport
from geoaudit.shardcheck.sharding.options import GivenDimension
from geoaudit.shardcheck.slicing.sites import LaunchConstant
from geoaudit.shardcheck.symbolic.extents import Case, Extent, Symbol
from geoaudit.shardcheck.symbolic.making import arithmetic, cases, ceil_division, product, unknown
from geoaudit.shardcheck.verdicts.judge import assumed_values, judge

from ..site_builders import (
    H200,
    HEAD_DIM,
    HEADS_96,
    N_CTX,
    N_HEAD,
    SMS,
    TP,
    minus,
    named,
    number,
    options,
    site,
    tiles,
)


def rules(report: SiteReport) -> list[str]:
    return [finding.rule_id for finding in report.findings]


@pytest.mark.parametrize(
    ("grid", "blocks", "fill"),
    [
        ((N_HEAD,), (96, 12), 12 / 132),
        ((N_HEAD, tiles(HEAD_DIM, 32)), (384, 48), 48 / 132),
        ((N_HEAD, number(3)), (288, 36), 36 / 132),
        ((product(N_HEAD, number(3)),), (288, 36), 36 / 132),
    ],
)
def test_heads_over_eight_ranks_collapse(
    grid: tuple[Extent, ...], blocks: tuple[int, int], fill: float
) -> None:
    report = judge(site(*grid), options(HEADS_96, head_dim=128))
    assert (report.blocks[1], report.blocks[8]) == blocks
    assert report.sm_fill[8] == pytest.approx(fill)
    assert report.behaviour == "collapses"
    assert rules(report) == ["GA401"]


def test_the_message_has_the_numbers() -> None:
    (finding,) = judge(site(N_HEAD), options(HEADS_96)).findings
    assert finding.message == (
        "96 blocks (72.7 % of 132 SMs) at 1 rank, 12 (9.1 %) at 8: n_head is sharded"
    )
    assert finding.severity == "warning"


def test_a_large_grid_shrinks_and_stays_large() -> None:
    report = judge(site(named("kv_lora"), N_HEAD), options(HEADS_96, kv_lora=512))
    assert report.blocks[8] == 512 * 12
    assert (report.behaviour, rules(report)) == ("shrinks", [])


def test_a_split_budget_compensates() -> None:
    budget = named("kMlaSplitBudget", "constant")
    by_len = arithmetic("max", number(1), arithmetic("//", N_CTX, number(64)))
    splits = arithmetic("min", arithmetic("//", budget, N_HEAD), by_len)
    held = LaunchConstant(symbol=budget, values=(6144,))
    report = judge(site(N_HEAD, splits, constants=(held,)), options(HEADS_96))
    assert report.behaviour == "compensated"
    assert rules(report) == []


def splits_with_floor(floor: Extent) -> Extent:
    per_sm = named("kBlocksPerSm", "constant")
    fill = ceil_division(product(per_sm, SMS), N_HEAD)
    return arithmetic("min", fill, arithmetic("max", number(1), arithmetic("//", N_CTX, floor)))


FLOOR = Symbol(name="kMinSlice", kind="constant", path="mla.cu", line=12)
PER_SM = LaunchConstant(symbol=named("kBlocksPerSm", "constant"), values=(2,))


@pytest.mark.parametrize("is_named", [True, False])
def test_a_flat_slice_floor_beside_a_target_is_stale(is_named: bool) -> None:
    floor: Extent = FLOOR if is_named else number(4096)
    held = (PER_SM, LaunchConstant(symbol=FLOOR, values=(4096,))) if is_named else (PER_SM,)
    report = judge(site(N_HEAD, splits_with_floor(floor), constants=held), options(HEADS_96))
    assert report.behaviour == "capped_by_constant"
    assert rules(report) == ["GA404"]
    message = report.findings[0].message
    assert "4,096" in message
    assert "cdiv(kBlocksPerSm * num_sms, n_head)" in message
    assert ("kMinSlice = 4,096 (mla.cu:12) binds at 8 ranks" in message) is is_named


def test_the_documents_floor_of_1024_tokens() -> None:
    """One group of heads a rank, 2 blocks an SM asked for, and 128 slices of 131,072 tokens."""
    groups = arithmetic("//", N_HEAD, number(12))
    fill = ceil_division(product(number(2), SMS), groups)
    splits = arithmetic("min", fill, arithmetic("//", N_CTX, FLOOR))
    held = LaunchConstant(symbol=FLOOR, values=(1024,))
    at = replace(options(HEADS_96), context=131_072)
    report = judge(site(groups, splits, constants=(held,)), at)
    assert report.blocks[8] == 128
    assert rules(report) == ["GA404"]
    assert "128 blocks, and 264 without it" in report.findings[0].message


def test_key_value_heads_keep_at_least_one() -> None:
    total = named("total_kv_heads")
    heads = arithmetic("max", number(1), arithmetic("//", total, TP))
    report = judge(site(heads, number(40)), options(total_kv_heads=4))
    assert [report.blocks[ranks] for ranks in (1, 2, 4, 8)] == [160, 80, 40, 40]
    (dimension,) = report.sharded
    assert (dimension.rounding, dimension.total, dimension.is_certain) == ("at_least_one", 4, True)
    assert rules(report) == ["GA401"]


def test_heads_that_cancel_are_independent() -> None:
    width = named("C")
    report = judge(
        site(product(N_HEAD, arithmetic("//", width, N_HEAD))), options(HEADS_96, C=9600)
    )
    assert report.behaviour in ("independent", "compensated")
    assert rules(report) == []


def test_without_sizes_a_grid_shrinks_under_a_condition() -> None:
    report = judge(site(N_HEAD, named("n_splits")), options(HEADS_96))
    assert report.behaviour == "shrinks"
    assert report.blocks == {1: None, 2: None, 4: None, 8: None}
    assert report.condition == "below 66 blocks when n_splits < 6 at 8 ranks"
    assert rules(report) == []


def test_a_grid_sized_from_the_device_is_compensated_whatever_the_heads() -> None:
    tiles_of_all = product(N_HEAD, named("n_tiles"))
    report = judge(site(arithmetic("min", SMS, tiles_of_all)), options())
    assert report.behaviour in ("compensated", "shrinks")
    hidden = unknown("num_splits_heuristic is not followed", N_HEAD, SMS)
    report = judge(site(N_HEAD, hidden), options())
    assert report.behaviour == "compensated"


@pytest.mark.parametrize(
    ("grid", "behaviour"),
    [
        ((number(128),), "constant"),
        ((named("nrows"), named("nchannels")), "independent"),
        ((named("num_tokens"), tiles(HEAD_DIM, 32)), "independent"),
        ((SMS,), "independent"),
        ((unknown("a call is not followed"),), "unknown"),
    ],
)
def test_what_is_not_sharded_is_not_flagged(grid: tuple[Extent, ...], behaviour: str) -> None:
    report = judge(site(*grid), options())
    assert report.behaviour == behaviour
    assert report.findings == ()
    assert report.reason


def test_an_undecided_condition_is_a_note() -> None:
    split = cases(
        [
            Case(guard=None, text="use_splits", value=number(16)),
            Case(guard=number(1), value=number(1)),
        ]
    )
    report = judge(site(N_HEAD, split), options(HEADS_96))
    assert report.blocks[8] == 12
    assert [finding.severity for finding in report.findings] == ["note"]


def test_a_dimension_that_does_not_divide() -> None:
    report = judge(site(N_HEAD, number(40)), options(GivenDimension(name="n_head", total=12)))
    assert "GA403" in rules(report)
    message = next(one.message for one in report.findings if one.rule_id == "GA403")
    assert message == "n_head = 12 over 8 ranks: 1 for each, 4 belong to none"


def test_a_small_grid_is_small_already() -> None:
    report = judge(site(N_HEAD), options(GivenDimension(name="n_head", total=32)))
    assert (report.behaviour, rules(report)) == ("small", ["GA402"])


def test_limits_that_are_broken_for_certain() -> None:
    zero = arithmetic("//", named("n_kv_total"), TP)
    report = judge(site(number(9), zero), options(n_kv_total=4))
    assert "GA405" in rules(report)
    assert "GA405" in rules(judge(site(number(1), number(70_000)), options()))
    assert "GA405" in rules(judge(site(number(1), block=2048), options()))
    guarded = site(number(9), zero, guards=(arithmetic(">", zero, number(0)),))
    assert "GA405" not in rules(judge(guarded, options(n_kv_total=4)))


def test_a_constant_that_is_an_sm_count() -> None:
    constant = LaunchConstant(symbol=named("kNumSms", "constant"), values=(H200,))
    report = judge(site(constant.symbol, N_HEAD, constants=(constant,)), options(HEADS_96))
    assert "GA404" in rules(report)
    assert "kNumSms = 132" in next(one for one in report.findings if one.rule_id == "GA404").message


def test_a_constant_that_was_measured() -> None:
    remark = "Measured best at 8192 ctx on H100"
    constant = LaunchConstant(symbol=named("kSplits", "constant"), values=(4,), remark=remark)
    report = judge(site(N_HEAD, constant.symbol, constants=(constant,)), options(HEADS_96))
    assert rules(report) == ["GA401", "GA404"]


def test_what_is_taken_for_granted_is_told() -> None:
    sites = [site(N_HEAD, named("batch_size")), site(tiles(minus(N_CTX, number(1)), 64))]
    assert assumed_values(sites, options()) == {
        "batch_size": (1, "the batch, by its name"),
        "n_ctx": (32_768, "the context, by its name"),
    }


def test_a_launcher_is_judged_where_it_is_called() -> None:
    report = judge(replace(site(named("grid")), is_launcher=True), options())
    assert report.behaviour == "launcher"


def test_what_no_size_launches_names_what_nothing_gives() -> None:
    report = judge(site(minus(N_HEAD, number(10**7))), options(GivenDimension(name="n_head")))
    assert report.behaviour == "unknown"
    assert report.reason == "nothing gives n_head, and no size that was tried gives a grid"


def test_one_rank_is_one_rank() -> None:
    assert "at 1 rank and fewer later" in judge(site(N_HEAD), options(HEADS_96)).reason


def test_a_grid_of_less_than_no_block_is_no_launch() -> None:
    grid = arithmetic("-", N_HEAD, number(100))
    report = judge(site(grid), options(GivenDimension(name="n_head", total=96)))
    assert rules(report) == ["GA405"]
