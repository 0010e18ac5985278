"""Divisions by ranks that an extent shows, and those that are none."""

import pytest

from geoaudit.shardcheck.sharding.divisions import divisions, row_ranges
from geoaudit.shardcheck.symbolic.extents import Case, Extent
from geoaudit.shardcheck.symbolic.making import (
    arithmetic,
    cases,
    ceil_division,
    product,
    unknown,
)
from geoaudit.shardcheck.symbolic.wording import as_text

from ..site_builders import SMS, TP, named, number

TOTAL, BATCH = named("total"), named("batch")
EP, ATTN_TP, DP = (named(name, "parallel_size") for name in ("ep_size", "attn_tp_size", "dp_size"))


def told(extent: Extent) -> list[tuple[str, str, str]]:
    return [(as_text(one.total), one.by, one.rounding) for one in divisions(extent)]


@pytest.mark.parametrize(
    ("extent", "expected"),
    [
        (arithmetic("//", TOTAL, TP), [("total", "tp", "floor")]),
        (ceil_division(TOTAL, TP), [("total", "tp", "ceil")]),
        (arithmetic("//", TOTAL, EP), [("total", "ep", "floor")]),
        (arithmetic("//", TOTAL, ATTN_TP), [("total", "attn_tp", "floor")]),
        (arithmetic("//", TOTAL, DP), []),
        (arithmetic("//", TOTAL, named("tp_size")), []),  # a parameter that only has the name
        (arithmetic("//", number(64), TP), []),
        (arithmetic("//", SMS, TP), []),
        (product(TOTAL, TP), []),
        (arithmetic("//", TP, number(2)), []),
        (arithmetic("//", TOTAL, number(8)), []),
        (arithmetic("//", product(TOTAL, number(128)), TP), [("total * 128", "tp", "floor")]),
        (arithmetic("//", TOTAL, arithmetic("min", TP, number(4))), [("total", "tp", "floor")]),
        (
            arithmetic("max", arithmetic("//", TOTAL, TP), number(1)),
            [("total", "tp", "at_least_one")],
        ),
        (arithmetic("max", arithmetic("//", TOTAL, TP), number(2)), [("total", "tp", "floor")]),
        (unknown("g", arithmetic("//", TOTAL, TP)), []),  # only its symbols are kept
    ],
)
def test_divisions_by_ranks(extent: Extent, expected: list[tuple[str, str, str]]) -> None:
    assert told(extent) == expected


def test_a_number_is_a_width_where_the_source_says_nothing_but_sizes() -> None:
    extent = arithmetic("/", number(18432), TP)
    assert divisions(extent) == ()
    (found,) = divisions(extent, of_numbers=True)
    assert (found.total, found.rounding) == (number(18432), "exact")
    assert divisions(arithmetic("//", SMS, TP), of_numbers=True) == ()


def test_each_division_is_told_once_and_two_dimensions_both() -> None:
    share, other = arithmetic("//", TOTAL, TP), arithmetic("//", named("experts"), EP)
    extent = product(share, arithmetic("+", share, number(1)), other)
    assert told(extent) == [("total", "tp", "floor"), ("experts", "ep", "floor")]


def test_divisions_in_conditions_and_in_alternatives_are_seen() -> None:
    share = arithmetic("//", TOTAL, TP)
    chosen = cases([
        Case(guard=arithmetic(">", share, number(4)), value=number(2)),
        Case(guard=number(1), value=BATCH),
    ])  # fmt: skip
    assert told(chosen) == [("total", "tp", "floor")]


@pytest.mark.parametrize(
    ("end", "start", "is_range"),
    [
        ("row_high", "row_low", True),
        ("row_end", "row_start", True),
        ("high_row", "low_row", True),
        ("p.row_hi", "p.row_begin", True),
        ("row_low", "row_high", False),
        ("row_high", "offset", False),
        ("end", "start", False),
    ],
)
def test_ranges_of_rows(end: str, start: str, is_range: bool) -> None:
    high, low = named(end), named(start)
    extent = ceil_division(arithmetic("-", high, low), number(32))
    assert row_ranges(extent) == (((high, low),) if is_range else ())
