"""What a grid does as ranks grow, and the condition that is left where sizes are missing."""

from dataclasses import replace

import pytest

from geoaudit.shardcheck.sharding.options import GivenDimension, ShardOptions
from geoaudit.shardcheck.sharding.roles import roles_of
from geoaudit.shardcheck.slicing.sites import LaunchConstant, LaunchSite
from geoaudit.shardcheck.symbolic.extents import Case, Extent, Symbol
from geoaudit.shardcheck.symbolic.making import arithmetic, cases, ceil_division, product, unknown
from geoaudit.shardcheck.verdicts.behaviour import Conduct, condition_of, conduct_of, reasons_of
from geoaudit.shardcheck.verdicts.grids import factors_of

from ..site_builders import HEADS_96, N_HEAD, SMS, TP, named, number, options, site, tiles

BATCH, WIDTH, FREE = named("batch_size"), named("width"), named("n_tiles")
GIVEN = options(HEADS_96)


def conduct(one: LaunchSite, at: ShardOptions) -> Conduct:
    return conduct_of(one, roles_of(one, at), at)


def behaviour(*grid: Extent, at: ShardOptions = GIVEN) -> str:
    return conduct(site(*grid), at).behaviour


@pytest.mark.parametrize(
    ("total", "expected"),
    [
        (1056, "shrinks"),  # 132 blocks at 8 ranks
        (528, "shrinks"),  # 66: half of the SMs
        (520, "collapses"),  # 65
        (66, "collapses"),  # half at 1 rank
        (65, "small"),
        (8, "small"),
        (1, "independent"),
    ],
)
def test_half_of_the_sms_is_where_a_grid_collapses(total: int, expected: str) -> None:
    heads = GivenDimension(name="n_head", total=total, rounding="at_least_one")
    assert behaviour(N_HEAD, at=options(heads)) == expected


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        ((number(40),), "constant"),
        ((WIDTH,), "independent"),
        ((tiles(WIDTH, 32), BATCH), "independent"),
        ((SMS,), "independent"),
        ((N_HEAD, ceil_division(product(number(2), SMS), N_HEAD)), "compensated"),
        ((arithmetic("//", N_HEAD, N_HEAD), number(40)), "constant"),
        ((N_HEAD, arithmetic("//", number(9600), N_HEAD)), "compensated"),
        ((arithmetic("min", N_HEAD, number(4)), number(64)), "independent"),
        ((arithmetic("max", N_HEAD, number(400)),), "independent"),
        ((unknown("g is not followed"),), "unknown"),
        ((unknown("g is not followed", SMS),), "independent"),
    ],
)
def test_what_does_not_shrink(grid: tuple[Extent, ...], expected: str) -> None:
    assert behaviour(*grid) == expected


def test_what_is_sharded_and_hidden_beside_the_sm_count_is_compensated() -> None:
    found = conduct(site(N_HEAD, unknown("heuristic", N_HEAD, SMS)), options(HEADS_96))
    assert found.behaviour == "compensated"
    assert "heuristic" in found.reason


def test_what_is_sharded_and_hidden_alone_is_unknown() -> None:
    found = conduct(site(unknown("heuristic", N_HEAD)), options(HEADS_96))
    assert found.behaviour == "unknown"
    assert found.reason == "heuristic"


def test_the_worst_of_undecided_choices_counts_unless_one_refills() -> None:
    split = cases([Case(guard=None, value=number(1)), Case(guard=None, value=number(40))])
    assert behaviour(N_HEAD, split) == "collapses"
    refilled = cases([
        Case(guard=None, value=number(1)),
        Case(guard=None, value=ceil_division(product(number(2), SMS), N_HEAD)),
    ])  # fmt: skip
    assert behaviour(N_HEAD, refilled) == "compensated"


def test_a_begun_zero_is_unknown_and_not_an_empty_grid() -> None:
    found = conduct(site(number(0), names=("g_blocks",)), options())
    assert found.behaviour == "unknown"
    assert "begins as 0" in found.reason


def test_a_guard_that_fails_at_many_ranks_leaves_its_choice_out() -> None:
    """The split is 1 where there are few heads, and then another kernel runs."""
    split = cases([
        Case(guard=arithmetic("<", N_HEAD, number(24)), value=number(1)),
        Case(guard=number(1), value=number(2)),
    ])  # fmt: skip
    free = conduct(site(N_HEAD, split), options(HEADS_96))
    assert [course.blocks for course in free.courses] == [(192, 96, 48, 12)]


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        ((N_HEAD, FREE), "below 66 blocks when n_tiles < 6 at 8 ranks"),
        ((N_HEAD, number(6), FREE), ""),
        ((N_HEAD,), ""),
        ((FREE, WIDTH), "below 66 blocks when n_tiles * width < 66 at 8 ranks"),
    ],
)
def test_the_condition_that_is_left(grid: tuple[Extent, ...], expected: str) -> None:
    one, at = site(*grid), options(HEADS_96)
    assert condition_of(factors_of(one), roles_of(one, at), at) == expected


def test_the_condition_goes_by_the_device() -> None:
    one, at = site(N_HEAD, FREE), replace(options(HEADS_96), sms=40)
    found = condition_of(factors_of(one), roles_of(one, at), at)
    assert found == "below 20 blocks when n_tiles < 2 at 8 ranks"


def test_a_division_is_enough_without_an_option() -> None:
    share = arithmetic("//", named("total"), TP)
    assert behaviour(share, at=options(total=96)) == "collapses"
    assert behaviour(share, at=options()) == "shrinks"


def test_ranks_of_another_kind_do_not_shrink_a_grid() -> None:
    share = arithmetic("//", named("total"), named("dp_size", "parallel_size"))
    assert behaviour(share, at=options(total=96)) == "independent"


def test_tuned_sizes_are_a_choice_each() -> None:
    block = Symbol(name="META.BLOCK", kind="constant")
    tuned = LaunchConstant(symbol=block, values=(16, 128))
    one = site(N_HEAD, ceil_division(number(256), block), constants=(tuned,))
    found = conduct(one, options(HEADS_96))
    assert sorted(course.blocks for course in found.courses) == [
        (192, 96, 48, 24),
        (1536, 768, 384, 192),
    ]
    assert found.behaviour == "collapses"


def test_reasons_are_told_once_and_at_most_three() -> None:
    parts = [unknown(text) for text in ("a", "b", "a", "c", "d")]
    assert reasons_of(parts) == "a; b; c"
    assert reasons_of([N_HEAD]) == "a loop whose rounds are not known"
