"""Constants that a grid has outgrown, and those that it has not."""

from dataclasses import replace

import pytest

from geoaudit.shardcheck.sharding.options import GivenDimension, ShardOptions
from geoaudit.shardcheck.sharding.roles import roles_of
from geoaudit.shardcheck.slicing.sites import LaunchConstant, LaunchSite
from geoaudit.shardcheck.symbolic.extents import Extent, Symbol
from geoaudit.shardcheck.symbolic.making import arithmetic, ceil_division, product
from geoaudit.shardcheck.verdicts.constants import (
    StaleConstant,
    binding_constant,
    telling_constants,
)

from ..site_builders import H200, HEADS_96, N_CTX, N_HEAD, SMS, named, number, options, site

GIVEN = options(HEADS_96)


def constant(name: str, value: int, remark: str = "") -> LaunchConstant:
    symbol = Symbol(name=name, kind="constant", path="engine.cu", line=3)
    return LaunchConstant(symbol=symbol, values=(value,), remark=remark)


def binding(one: LaunchSite, at: ShardOptions = GIVEN) -> StaleConstant | None:
    return binding_constant(one, roles_of(one, at), at)


def telling(*held: LaunchConstant, at: ShardOptions = GIVEN) -> list[str]:
    grid: Extent = product(N_HEAD, *(one.symbol for one in held))
    return [one.why for one in telling_constants(site(grid, constants=held), at)]


def test_a_size_of_the_model_is_no_sm_count_by_chance() -> None:
    assert telling(constant("gqa_n_head", 40)) == []
    assert telling(constant("kBudget", 40)) == ["sm_count"]


FILL = ceil_division(product(number(2), SMS), N_HEAD)


def test_a_cap_binds_where_the_grid_without_it_reaches_the_device() -> None:
    cap = constant("kMaxSplits", 4)
    one = site(N_HEAD, arithmetic("min", FILL, cap.symbol), constants=(cap,))
    found = binding(one)
    assert found is not None
    assert (found.constant, found.value, found.why) == (cap, 4, "binds")
    assert (found.ranks, found.blocks, found.blocks_without) == (4, 96, 264)
    assert found.told == "cdiv(num_sms * 2, n_head)"
    assert found.label == "kMaxSplits = 4 (engine.cu:3)"


def test_a_number_in_the_text_binds_too() -> None:
    found = binding(site(N_HEAD, arithmetic("min", FILL, number(4))))
    assert found is not None
    assert (found.constant, found.value, found.label) == (None, 4, "4")


@pytest.mark.parametrize(
    "splits",
    [
        arithmetic("min", FILL, number(64)),  # it never binds
        arithmetic("min", number(2), number(4)),  # nor does what is left reach the device
        arithmetic("min", number(2), arithmetic("//", N_CTX, number(16_384))),
        FILL,
        number(1),
    ],
)
def test_a_cap_that_costs_nothing_is_no_finding(splits: Extent) -> None:
    assert binding(site(N_HEAD, splits)) is None


def test_a_cap_on_what_is_sharded_itself_is_none_of_splits() -> None:
    """min(n_head, 4): without it there are 12 blocks, still too few."""
    assert binding(site(arithmetic("min", N_HEAD, number(4)))) is None


def test_where_no_number_is_known_nothing_binds() -> None:
    splits = arithmetic("min", FILL, number(4))
    assert binding(site(N_HEAD, splits, named("n_tiles"))) is None


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        (constant("kNumSms", H200), ["sm_count"]),
        (constant("kGrid", 108), ["sm_count"]),
        (constant("kRows", 108), ["sm_count"]),
        (constant("kRows", 128), []),  # a tile, and the SMs of a GeForce
        (constant("kNumSms", 128), ["sm_count"]),
        (constant("kNumSms", 133), []),
        (constant("kNumSms", 16), []),  # so few that the number says nothing
        (constant("kHeads", 96), ["dimension"]),
        (constant("kThreads", 96), []),
        (constant("kBlockRows", 96), []),
        (constant("kSplits", 4, "best at 8192 ctx, measured on H100"), ["measured"]),
        (constant("kSplits", 4, "fastest for 64 heads"), ["measured"]),
        (constant("kSplits", 4, "measured once"), []),
        (constant("kSplits", 4, "one for each of 64 heads"), []),
        (constant("kSplits", 4), []),
    ],
)
def test_what_a_constant_tells_by_value_and_remark(
    held: LaunchConstant, expected: list[str]
) -> None:
    assert telling(held) == expected


def test_a_constant_that_equals_a_models_size_of_its_own_name() -> None:
    at = ShardOptions(sms=H200, model={"kv_heads": 8, "heads": 64})
    assert telling(constant("kNumKvHeads", 8), at=at) == ["dimension"]
    assert telling(constant("kSplits", 8), at=at) == []
    assert telling(constant("kNumKvHeads", 64), at=at) == []


def test_a_given_dimension_of_another_name_needs_a_telling_number() -> None:
    at = options(GivenDimension(name="n_head", total=90))
    assert telling(constant("kCount", 90), at=at) == ["dimension"]
    at = options(GivenDimension(name="n_head", total=20))
    assert telling(constant("kCount", 20), at=at) == []


def test_a_constant_that_is_not_in_the_grid_tells_nothing() -> None:
    held = constant("kNumSms", H200)
    assert list(telling_constants(site(N_HEAD, constants=(held,)), options())) == []


def test_tuned_values_are_no_constant_of_one_value() -> None:
    held = replace(constant("kNumSms", H200), values=(H200, 264))
    assert telling(held) == []


@pytest.mark.parametrize(
    ("value", "expected"), [(132, ["sm_count"]), (128, []), (56, []), (133, [])]
)
def test_a_number_in_the_text_that_is_an_sm_count(value: int, expected: list[str]) -> None:
    one = site(N_HEAD, number(value))
    assert [found.why for found in telling_constants(one, options())] == expected
