"""What is not followed, and whether it may hold something sharded."""

import pytest

from geoaudit.shardcheck.sharding.roles import roles_of
from geoaudit.shardcheck.symbolic.extents import Case, Extent, Unknown
from geoaudit.shardcheck.symbolic.making import arithmetic, cases, unknown
from geoaudit.shardcheck.verdicts.hidden import lost_parts

from ..site_builders import N_HEAD, named, number, options, site

TOKENS, ROWS = named("num_tokens"), named("rows_out")


def lost(*grid: Extent, names: tuple[str, ...] = ()) -> list[str]:
    one = site(*grid, names=names)
    return [part.reason for part in lost_parts(one, roles_of(one, options()))]


@pytest.mark.parametrize(
    ("extent", "expected"),
    [
        (number(4), []),
        (N_HEAD, []),
        (unknown("g is not followed"), ["g is not followed"]),
        (unknown("g is not followed", TOKENS), []),
        (unknown("g is not followed", named("seq_len")), []),
        (unknown("g is not followed", ROWS), ["g is not followed"]),
        (unknown("g is not followed", N_HEAD), ["g is not followed"]),
        (unknown("num_heads of g is not followed"), ["num_heads of g is not followed"]),
        (unknown("max_seqlen is not followed"), []),
        (arithmetic("*", unknown("g is not followed"), ROWS), ["g is not followed"]),
    ],
)
def test_what_an_unknown_part_may_hold(extent: Extent, expected: list[str]) -> None:
    assert lost(extent) == expected


def test_a_name_on_the_way_tells_what_is_lost() -> None:
    assert lost(unknown("g is not followed"), names=("num_tokens",)) == []
    assert lost(unknown("g is not followed"), names=("num_tokens", "n_head")) == [
        "g is not followed"
    ]


def test_an_unknown_condition_is_not_lost() -> None:
    guard = Unknown(reason="whether c is None")
    chosen = cases([Case(guard=guard, value=number(1)), Case(guard=None, value=number(2))])
    assert lost(chosen) == []


def test_parts_of_every_axis_are_told() -> None:
    assert lost(unknown("first"), unknown("second"), number(1)) == ["first", "second"]
