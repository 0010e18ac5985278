"""A grid over the ranks: its factors, and one course for each choice of what is undecided."""

from geoaudit.shardcheck.sharding.options import GivenDimension
from geoaudit.shardcheck.sharding.roles import roles_of
from geoaudit.shardcheck.slicing.sites import LaunchSite
from geoaudit.shardcheck.symbolic.extents import Case, Symbol
from geoaudit.shardcheck.symbolic.making import arithmetic, cases, product
from geoaudit.shardcheck.symbolic.wording import as_text
from geoaudit.shardcheck.verdicts.grids import (
    PROBES,
    Course,
    Probe,
    courses,
    factors_of,
    values_at,
)

from ..site_builders import HEADS_96, N_HEAD, TP, named, number, options, site, tiles

FREE = named("n_tiles")
UNDECIDED = cases([Case(guard=None, value=number(1)), Case(guard=None, value=number(5))])


def texts(one: LaunchSite) -> list[str]:
    return [as_text(factor) for factor in factors_of(one)]


def blocks(one: LaunchSite, probe: Probe | None = None) -> list[tuple[int, ...]]:
    at = options(HEADS_96)
    found = courses(one, factors_of(one), roles_of(one, at), at, probe)
    return [course.blocks for course in found]


def test_factors_are_of_the_product_of_all_axes_with_the_number_last() -> None:
    assert texts(site(product(N_HEAD, number(2)), FREE, number(3))) == ["n_head", "n_tiles", "6"]
    assert texts(site(N_HEAD)) == ["n_head"]
    assert texts(site(number(2), number(3))) == ["6"]


def test_a_course_tells_shrinking_from_refilling() -> None:
    shrinking = Course(factors=((96, 2), (12, 2)))
    refilling = Course(factors=((96, 2), (12, 16)))
    level = Course(factors=((96, 2), (96, 2)))
    assert (shrinking.shrinks, shrinking.refills, shrinking.varies) == (True, False, True)
    assert (refilling.shrinks, refilling.refills, refilling.varies) == (False, True, True)
    assert (level.shrinks, level.refills, level.varies) == (False, False, False)
    assert shrinking.blocks == (192, 24)


def test_a_number_at_every_rank() -> None:
    assert blocks(site(N_HEAD, tiles(number(100), 32))) == [(384, 192, 96, 48)]


def test_one_unknown_size_leaves_no_course() -> None:
    assert blocks(site(N_HEAD, FREE)) == []


def test_a_probe_is_tried_at_the_fewest_and_the_most_ranks() -> None:
    ((few, many),) = blocks(site(N_HEAD, FREE), PROBES[0])
    assert few == 8 * many


def test_a_choice_is_the_same_one_at_every_rank() -> None:
    assert sorted(blocks(site(N_HEAD, UNDECIDED))) == [
        (96, 48, 24, 12),
        (480, 240, 120, 60),
    ]


def test_equal_choices_of_two_axes_go_together() -> None:
    choice = Symbol(name="use_splits", kind="parameter")
    split = cases([Case(guard=choice, value=number(4)), Case(guard=number(1), value=number(1))])
    other = cases([Case(guard=choice, value=number(1)), Case(guard=number(1), value=number(4))])
    assert set(blocks(site(N_HEAD, split, other))) == {(384, 192, 96, 48)}


def test_a_choice_under_which_nothing_is_launched_is_left_out() -> None:
    choice = Symbol(name="use_splits", kind="parameter")
    split = cases([Case(guard=choice, value=number(4)), Case(guard=number(1), value=number(1))])
    assert blocks(site(N_HEAD, split, guards=(choice,))) == [(384, 192, 96, 48)]


def test_without_a_total_a_probe_gives_each_of_the_most_ranks_its_own() -> None:
    at = options(GivenDimension(name="n_head"))
    one = site(N_HEAD)
    roles = roles_of(one, at)
    assert values_at(roles, at, 8)(N_HEAD) is None
    assert [values_at(roles, at, ranks, PROBES[1])(N_HEAD) for ranks in at.ranks] == [
        12 * 8, 12 * 4, 12 * 2, 12,
    ]  # fmt: skip


def test_symbols_of_a_probe_differ_and_ranks_are_ranks() -> None:
    at = options(HEADS_96)
    value = values_at(roles_of(site(N_HEAD), at), at, 4, PROBES[0])
    assert value(named("a")) != value(named("b"))
    assert value(N_HEAD) == 24
    assert value(Symbol(name="kTile", kind="constant")) == 64
    share = values_at(roles_of(site(arithmetic("//", FREE, TP)), at), at, 4)
    assert share(TP) == 4
