"""Expressions as text."""

import pytest

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.spelling import MOST_CHARACTERS, spelled

A, B, ONE = e.Name("a"), e.Name("b"), e.Number(1)


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (e.Real(0.5), "0.5"),
        (e.Text("x"), "'x'"),
        (e.Member(e.Name("p"), "n_head"), "p.n_head"),
        (e.Subscript(A, (ONE, e.Slice(None, B))), "a[1, :b]"),
        (e.Operation("*", (e.Operation("+", (A, ONE)), B)), "(a + 1) * b"),
        (e.Operation("-", (A,)), "-a"),
        (e.Operation("&", (A,)), "a"),
        (e.Choice(A, ONE, B), "a ? 1 : b"),
        (e.Operation("/", (e.Choice(A, ONE, B), B)), "(a ? 1 : b) / b"),
        (e.Cast("int", A), "a"),
        (e.Call(e.Name("f"), (A,), (("k", e.Starred(B)),)), "f(a, k=*b)"),
        (e.Collection((A, ONE), (), "dim3"), "dim3(a, 1)"),
        (e.Collection((), (("x", A),)), "(x=a)"),
        (e.Launch("chevron", A, e.Name("grid"), None, ()), "a<<<grid>>>"),
        (e.Opaque("co_await x"), "co_await x"),
        (e.FunctionValue(3), "lambda"),
    ],
)
def test_an_expression_is_spelled_as_the_source_writes_it(node: e.Expression, text: str) -> None:
    assert spelled(node) == text


def test_a_long_expression_is_cut() -> None:
    text = spelled(e.Name("n" * 200))
    assert (len(text), text[-1]) == (MOST_CHARACTERS, "…")
