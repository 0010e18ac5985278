"""Alternatives of values, and the trails of what is made of them."""

from geoaudit.shardcheck.slicing.sequences import concatenated
from geoaudit.shardcheck.slicing.sites import Hop
from geoaudit.shardcheck.slicing.values import (
    MOST_HOPS,
    NOWHERE,
    Either,
    Items,
    Quantity,
    Record,
    Reference,
    Trail,
    computed,
    either,
    joined,
    known_member,
    number,
)
from geoaudit.shardcheck.symbolic.extents import Integer, Symbol
from geoaudit.shardcheck.symbolic.wording import as_text


def quantity(name: str) -> Quantity:
    symbol = Symbol(name=name, kind="parameter")
    return Quantity(extent=symbol, trail=NOWHERE.through("a.cu", name))


A, B, C = quantity("a"), quantity("b"), quantity("c")
TENSOR = Reference(text="t", kind="parameter", path="a.cu")


def text_of(value: object) -> str:
    assert isinstance(value, Quantity)
    return as_text(value.extent)


def test_one_of_equal_values_is_that_value() -> None:
    assert either([(C, A), (None, A)]) is A
    assert either([(C, TENSOR), (None, TENSOR)]) == TENSOR


def test_one_of_several_numbers_leaves_out_the_names_of_its_condition() -> None:
    found = either([(C, A), (None, B)])
    assert text_of(found) == "a if c else b"
    assert isinstance(found, Quantity)
    assert {name for _, name in found.trail.names} == {"a", "b"}


def test_tuples_of_one_length_are_alternatives_place_by_place() -> None:
    found = either([(C, Items(values=(A, number(2)))), (None, Items(values=(B, number(2))))])
    assert isinstance(found, Items)
    assert [text_of(one) for one in found.values] == ["a if c else b", "2"]


def test_tuples_of_several_lengths_stay_apart() -> None:
    options = ((C, Items(values=(A,))), (None, Items(values=(A, B))))
    assert either(options) == Either(options=options)


def test_grids_are_alternatives_axis_by_axis() -> None:
    found = either([
        (C, Record(type="dim3", members={"x": A})),
        (None, Record(type="dim3", members={"x": B, "y": A})),
    ])  # fmt: skip
    assert isinstance(found, Record)
    assert {name: text_of(one) for name, one in found.members.items()} == {
        "x": "a if c else b",
        "y": "1 if c else a",
    }


def test_structures_of_which_one_lacks_a_field_stay_apart() -> None:
    full, empty = Record(type="P", members={"h": A}), Record(type="P")
    assert isinstance(either([(C, full), (None, empty)]), Either)


def test_alternatives_of_alternatives_keep_both_conditions() -> None:
    inner = Either(options=((B, TENSOR), (None, number(3))))
    found = either([(C, inner), (None, A)])
    assert isinstance(found, Either)
    assert [guard and as_text(guard.extent) for guard, _ in found.options] == ["c && b", "c", None]


def test_only_a_whole_dim3_is_1_where_nothing_is_given() -> None:
    assert known_member(Record(type="dim3"), "z") == number(1)
    assert known_member(Record(type="dim3", rest=TENSOR), "z") is None
    assert known_member(Record(type="P"), "z") is None
    assert known_member(Record(type="dim3"), "w") is None


def test_values_one_after_another_around_one_of_unknown_length() -> None:
    shape = Items(values=(A, B), back=(B, A))
    found = concatenated([Items(values=(number(7),)), shape, Items(values=(C,))])
    assert (found.values, found.back) == ((number(7), A, B), (C, B, A))


def test_a_result_carries_the_names_of_all_its_operands_once() -> None:
    found = computed("*", [A, B, A])
    assert {name for _, name in found.trail.names} == {"a", "b"}
    assert computed("-", [A, A]).extent == Integer(value=0)


def test_trails_are_bounded_and_keep_what_is_nearest() -> None:
    hops = [Hop(path="a.cu", line=line, text="") for line in range(MOST_HOPS + 9)]
    trail = Trail()
    for hop in reversed(hops):
        trail = trail.after(hop)
    assert trail.hops == tuple(hops[:MOST_HOPS])
    assert joined([trail, Trail(hops=tuple(hops))]).hops == trail.hops


def test_a_trail_is_as_deep_as_its_deepest_name() -> None:
    trail = Trail().through("a.cu", "a", 2).through("a.cu", "b", 1)
    assert trail.calls == 2
    assert joined([trail, Trail(calls=3)]).calls == 3
