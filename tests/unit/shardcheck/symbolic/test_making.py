"""What is made has the value of what was written, in fewer words."""

import pytest
from hypothesis import given

from geoaudit.shardcheck.symbolic.evaluation import evaluate
from geoaudit.shardcheck.symbolic.extents import Arithmetic, Case, Extent, Integer, Symbol, Unknown
from geoaudit.shardcheck.symbolic.making import (
    LARGEST_EXTENT,
    arithmetic,
    cases,
    ceil_division,
    product,
)
from geoaudit.shardcheck.symbolic.wording import as_text

from .extent_strategies import Pair, pairs, values

N = Symbol(name="n", kind="parameter")
M = Symbol(name="m", kind="parameter")
B = Symbol(name="b", kind="constant")
HEADS = Symbol(name="heads", kind="parameter")


def number(value: int) -> Integer:
    return Integer(value=value)


@given(pairs(), values)
def test_simplification_never_changes_a_value(pair: Pair, known: dict[Symbol, int]) -> None:
    """A condition that has no value is undecided, and what is made of it may be decided."""
    written = evaluate(pair.written, known.get)
    if written is not None:
        made = evaluate(pair.made, known.get)
        assert made is not None
        assert made <= written


def ceiling(a: Extent, b: Extent) -> Extent:
    return arithmetic("//", arithmetic("-", arithmetic("+", a, b), number(1)), b)


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (ceiling(N, B), "cdiv(n, b)"),
        (arithmetic("//", arithmetic("+", N, number(255)), number(256)), "cdiv(n, 256)"),
        (ceiling(product(N, HEADS), product(B, number(4))), "cdiv(n * heads, b * 4)"),
        (
            arithmetic("+", arithmetic("//", arithmetic("-", N, number(1)), B), number(1)),
            "cdiv(n, b)",
        ),
        (
            arithmetic(
                "+",
                arithmetic("//", N, B),
                arithmetic("!=", arithmetic("%", N, B), number(0)),
            ),
            "cdiv(n, b)",
        ),
        (arithmetic("-", arithmetic("//", arithmetic("-", N), B)), "cdiv(n, b)"),
        (arithmetic("ceil", arithmetic("/", N, B)), "cdiv(n, b)"),
        (arithmetic(">>", arithmetic("+", N, number(31)), number(5)), "cdiv(n, 32)"),
        (arithmetic("&", arithmetic("+", N, number(31)), number(~31)), "cdiv(n, 32) * 32"),
        (arithmetic("//", arithmetic("//", N, number(4)), number(8)), "n // 32"),
    ],
)
def test_quotients_read_as_what_they_are(made: Extent, text: str) -> None:
    assert as_text(made) == text


def test_integers_fold_and_terms_gather() -> None:
    assert product(number(12), number(4)) == number(48)
    assert arithmetic("-", arithmetic("+", N, M), M) == N
    assert as_text(product(HEADS, number(3), number(2))) == "heads * 6"
    assert product(N, number(0)) == number(0)


def test_a_quotient_cancels_only_where_it_is_exact() -> None:
    assert arithmetic("//", product(HEADS, N), HEADS) == N
    kept = product(HEADS, arithmetic("//", N, HEADS))
    assert as_text(kept) == "heads * (n // heads)"
    assert product(HEADS, arithmetic("/", N, HEADS)) == N


def test_a_known_guard_decides() -> None:
    assert cases([Case(guard=number(0), value=N), Case(guard=number(1), value=M)]) == M
    undecided = arithmetic(">", HEADS, number(4))
    assert cases([Case(guard=undecided, value=N), Case(guard=None, value=N)]) == N


def test_cases_of_cases_are_laid_out() -> None:
    inner = cases([Case(guard=arithmetic(">", M, number(1)), value=N), Case(guard=None, value=M)])
    outer = cases(
        [Case(guard=arithmetic(">", B, number(2)), value=inner), Case(guard=None, value=B)]
    )
    assert as_text(outer) == "n if b > 2 && m > 1 else m if b > 2 else b"


def test_a_huge_extent_is_unknown_and_keeps_its_symbols() -> None:
    extent: Extent = N
    for power in range(LARGEST_EXTENT):
        extent = arithmetic("min", arithmetic("//", extent, M), number(power + 2))
    assert isinstance(extent, Arithmetic | Unknown)
    assert "m" in {part.name for part in _unknown(extent).parts if isinstance(part, Symbol)}


def _unknown(extent: Extent) -> Unknown:
    while isinstance(extent, Arithmetic):
        extent = extent.operands[0]
    assert isinstance(extent, Unknown)
    return extent


def test_a_ceiling_of_nothing_is_nothing() -> None:
    assert evaluate(ceil_division(N, B), {N: 0, B: 32}.get) == frozenset({0})


def test_the_alternatives_of_an_else_keep_their_guards() -> None:
    few, many = arithmetic("==", N, number(1)), arithmetic("<", N, number(16))
    inner = cases([Case(guard=many, value=number(2)), Case(guard=None, value=number(3))])

    chain = cases([Case(guard=few, value=HEADS), Case(guard=None, value=inner)])

    assert evaluate(chain, {N: 5, HEADS: 7}.get) == frozenset({2})
    assert evaluate(chain, {N: 20, HEADS: 7}.get) == frozenset({3})
    assert evaluate(chain, {N: 1, HEADS: 7}.get) == frozenset({7})
