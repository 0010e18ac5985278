"""Limits that a launch breaks for certain, and those that are not certain."""

from dataclasses import replace

import pytest

from geoaudit.shardcheck.sharding.options import GivenDimension, ShardOptions
from geoaudit.shardcheck.sharding.roles import roles_of
from geoaudit.shardcheck.slicing.sites import Axis, LaunchSite
from geoaudit.shardcheck.symbolic.extents import Case, Extent
from geoaudit.shardcheck.symbolic.making import arithmetic, cases
from geoaudit.shardcheck.verdicts.limits import begins_as_zero, broken_limits

from ..site_builders import N_HEAD, TP, named, number, options, site

ROWS = named("rows")
SHARE = arithmetic("//", named("total"), TP)


def limits(one: LaunchSite, at: ShardOptions) -> tuple[str, ...]:
    return broken_limits(one, roles_of(one, at), at)


@pytest.mark.parametrize(
    ("grid", "at", "expected"),
    [
        ((number(70_000),), options(), ()),
        ((number(1), number(65_535), number(65_535)), options(), ()),
        ((number(1), number(65_536)), options(),
         ("grid y = 65536 is 65,536 and 65,535 is the most",)),
        ((number(1), number(1), ROWS), options(rows=70_000),
         ("grid z = rows is 70,000 and 65,535 is the most",)),
        ((number(1), ROWS), options(), ()),
        ((SHARE,), options(total=4), ("grid x = total // tp_size is 0 at 8 ranks: no launch",)),
        ((SHARE,), options(total=8), ()),
        ((SHARE,), options(), ()),
    ],
)  # fmt: skip
def test_grids(grid: tuple[Extent, ...], at: ShardOptions, expected: tuple[str, ...]) -> None:
    assert limits(site(*grid), at) == expected


def test_a_grid_that_only_a_name_divides_is_not_certain() -> None:
    assert limits(site(number(1), N_HEAD), options()) == ()
    few = GivenDimension(name="n_head", total=4, rounding="floor")
    assert limits(site(number(1), N_HEAD), options(few)) == (
        "grid y = n_head is 0 at 8 ranks: no launch",
    )


def test_what_may_be_within_a_limit_does_not_break_it() -> None:
    either = cases([Case(guard=None, value=number(70_000)), Case(guard=None, value=number(4))])
    assert limits(site(number(1), either), options()) == ()


def test_a_guard_before_the_launch_may_keep_it_from_zero() -> None:
    assert limits(site(SHARE, guards=(ROWS,)), options(total=4)) == ()


@pytest.mark.parametrize(("threads", "breaks"), [(1024, False), (1025, True), (2048, True)])
def test_blocks(threads: int, breaks: bool) -> None:
    found = limits(site(number(1), block=threads), options())
    expected = f"the block has {threads:,} threads and 1,024 is the most"
    assert found == ((expected,) if breaks else ())


def test_a_block_is_the_product_of_its_axes() -> None:
    one = site(number(1), block=64)
    assert one.block is not None
    wide = replace(one, block=(one.block[0], Axis(extent=number(32)), one.block[2]))
    assert limits(wide, options()) == ("the block has 2,048 threads and 1,024 is the most",)


def test_a_zero_by_a_name_is_set_elsewhere() -> None:
    assert begins_as_zero(Axis(extent=number(0), symbols=("g_blocks",)))
    assert not begins_as_zero(Axis(extent=number(0)))
    assert not begins_as_zero(Axis(extent=ROWS, symbols=("rows",)))
    assert limits(site(number(0), names=("g_blocks",)), options()) == ()
    assert limits(site(number(0)), options()) == ("grid x = 0 is 0 at 1 rank: no launch",)
