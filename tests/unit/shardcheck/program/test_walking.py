"""Walks find every part once, in order."""

import pytest

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program import statements as s
from geoaudit.shardcheck.program.walking import blocks_of, expressions_of, last_name, within

A, B, C, D = (e.Name(name) for name in "abcd")


@pytest.mark.parametrize(
    "node",
    [
        e.Call(A, (B,), (("k", C),), (D,)),
        e.Launch("chevron", A, B, C, (D,)),
        e.Launch("triton", A, B, None, (C,), (("k", D),)),
        e.Collection((A, e.Starred(B)), (("x", e.Cast("int", C)), ("y", D))),
        e.Subscript(A, (e.Slice(B, C, D),)),
        e.Operation("+", (e.Choice(A, B, C), e.Member(D, "x"))),
        e.Opaque("", (A, e.Opaque("", (B, C)), D)),
    ],
)
def test_all_names_of_an_expression_in_order(node: e.Expression) -> None:
    assert [one for one in within(node) if isinstance(one, e.Name)] == [A, B, C, D]


def test_arguments_of_a_class_template_are_no_parts_of_a_member() -> None:
    assert list(within(e.Member(A, "x", (B,)))) == [e.Member(A, "x", (B,)), A]


def test_expressions_and_blocks_of_statements() -> None:
    inner = (s.Evaluate(A, 1),)
    assert list(expressions_of(s.Assign(A, B, 1))) == [A, B]
    assert list(expressions_of(s.Return(None, 1))) == []
    assert list(expressions_of(s.Loop(inner, 1, A, target=B, iterable=C))) == [A, B, C]
    assert list(blocks_of(s.Branch(A, inner, (), 1))) == [inner, ()]
    assert list(blocks_of(s.Loop(inner, 1, A, step=(s.Stop(1),)))) == [(), inner, (s.Stop(1),)]


@pytest.mark.parametrize(
    ("node", "name"),
    [
        (e.Name("a::b::f"), "f"),
        (e.Member(A, "m"), "m"),
        (e.Subscript(e.Name("k"), (B,)), "k"),
        (e.Call(e.Call(e.Name("f"), ()), ()), "f"),
        (e.Operation("&", (e.Name("k"),)), "k"),
        (e.Cast("void*", e.Name("k")), "k"),
        (e.Operation("+", (A, B)), ""),
        (e.Number(1), ""),
    ],
)
def test_the_last_name_of_what_is_called(node: e.Expression, name: str) -> None:
    assert last_name(node) == name
