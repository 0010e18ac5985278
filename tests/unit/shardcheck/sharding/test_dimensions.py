"""Sharded dimensions as a report tells them."""

from geoaudit.shardcheck.sharding.dimensions import (
    divided_dimension,
    given_dimension,
    named_dimension,
    rows_dimension,
)
from geoaudit.shardcheck.sharding.divisions import divisions
from geoaudit.shardcheck.sharding.options import GivenDimension, ShardOptions
from geoaudit.shardcheck.symbolic.making import arithmetic, product

from ..site_builders import H200, TP, named, number, options

TOTAL = named("config.total")


def test_a_division_says_what_it_divides_and_where() -> None:
    (division,) = divisions(arithmetic("//", product(TOTAL, number(2)), TP))
    found = divided_dimension(division, {TOTAL: 48})
    assert (found.name, found.total, found.by, found.rounding) == (
        "config.total * 2",
        96,
        "tp",
        "floor",
    )
    assert found.reason == "config.total * 2 // tp_size, engine.cu:7"
    assert found.is_certain
    assert divided_dimension(division, {}).total is None


def test_a_name_is_never_certain() -> None:
    found = named_dimension(named("n_head"), "heads", "by its name", options())
    assert (found.name, found.total, found.by, found.is_certain) == ("n_head", None, "tp", False)
    assert found.reason == "heads by its name"


def test_a_name_takes_the_option_for_its_dimension() -> None:
    given = GivenDimension(name="num_heads", total=64, rounding="floor")
    found = named_dimension(named("n_head"), "heads", "by its name", options(given))
    assert (found.name, found.total, found.rounding) == ("num_heads", 64, "floor")
    other = named_dimension(named("n_kv"), "kv_heads", "by its name", options(given))
    assert (other.name, other.total) == ("n_kv", None)


def test_a_model_gives_the_size_and_value_heads_are_heads_without_their_own() -> None:
    at = ShardOptions(sms=H200, model={"heads": 64, "experts": 128})
    sizes = {
        kind: (found.total, found.by, found.rounding)
        for kind in ("heads", "value_heads", "kv_heads", "experts")
        for found in [named_dimension(named("n"), kind, "", at)]
    }
    assert sizes == {
        "heads": (64, "tp", "exact"),
        "value_heads": (64, "tp", "exact"),
        "kv_heads": (None, "tp", "at_least_one"),
        "experts": (128, "ep", "exact"),
    }


def test_an_option_is_told_as_it_is_given() -> None:
    given = GivenDimension(name="kv", total=8, by="attn_tp", rounding="at_least_one")
    found = given_dimension(given, "--dim kv", is_certain=True)
    assert (found.name, found.total, found.by, found.rounding) == (
        "kv",
        8,
        "attn_tp",
        "at_least_one",
    )


def test_rows_take_their_total_from_an_option_for_their_end() -> None:
    end, start = named("row_high"), named("row_low")
    assert rows_dimension(end, start, options()).total is None
    given = GivenDimension(name="row_high", total=4096)
    found = rows_dimension(end, start, options(given))
    assert (found.name, found.total) == ("row_high - row_low", 4096)
