"""Random extents, as written and as made: the same operators and operands, simplified or not."""

from dataclasses import dataclass

from hypothesis import strategies as st

from geoaudit.shardcheck.symbolic.extents import Arithmetic, Case, Cases, Extent, Integer, Symbol
from geoaudit.shardcheck.symbolic.making import arithmetic, cases


@dataclass(frozen=True)
class Pair:
    """One expression twice: every operator kept as written, and simplified."""

    written: Extent
    made: Extent


COUNTS = tuple(Symbol(name=name, kind="parameter") for name in ("n", "m", "heads"))
"""May be anything, 0 and negative as well."""
DIVISORS = tuple(Symbol(name=name, kind="constant") for name in ("TILE", "WARPS"))
"""At least 1."""


def same(extent: Extent) -> Pair:
    return Pair(extent, extent)


def applied(operator: str, *operands: Pair) -> Pair:
    return Pair(
        Arithmetic(operator=operator, operands=tuple(one.written for one in operands)),
        arithmetic(operator, *(one.made for one in operands)),
    )


def ceiling_shapes(a: Pair, b: Pair) -> list[Pair]:
    one, zero = same(Integer(value=1)), same(Integer(value=0))
    left_over = applied("%", a, b)
    floor = applied("//", a, b)
    return [
        applied("//", applied("-", applied("+", a, b), one), b),
        applied("+", applied("//", applied("-", a, one), b), one),
        applied("+", floor, applied("!=", left_over, zero)),
        applied("-", applied("//", applied("-", a), b)),
        applied("ceil", applied("/", a, b)),
        applied("//", applied("*", a, b), b),
        chosen(left_over, applied("+", floor, one), floor),
        chosen(applied("==", left_over, zero), floor, applied("+", floor, one)),
    ]


def chosen(guard: Pair, then: Pair, otherwise: Pair) -> Pair:
    last = Integer(value=1)
    return Pair(
        Cases(
            cases=(
                Case(guard=guard.written, value=then.written),
                Case(guard=last, value=otherwise.written),
            )
        ),
        cases([Case(guard=guard.made, value=then.made), Case(guard=last, value=otherwise.made)]),
    )


QUOTIENTS = ("//", "cdiv", "%", "/")
BINARY = ("+", "-", "*", "min", "max", "<", "<=", ">", ">=", "==", "!=", "&&", "||", "&")
UNARY = ("-", "!", "floor", "ceil", "log2")
SHIFTS = ("<<", ">>", "&")


@st.composite
def pairs(draw: st.DrawFn, depth: int = 4) -> Pair:
    """Expressions of at most `depth` operators within each other."""
    shape = draw(st.integers(0, 7 if depth else 1))
    if shape == 0:
        return same(Integer(value=draw(st.integers(-40, 40))))
    if shape == 1:
        return same(draw(st.sampled_from((*COUNTS, *DIVISORS))))
    inner = draw(pairs(depth=depth - 1))
    if shape == 2:
        return applied(draw(st.sampled_from(QUOTIENTS)), inner, draw(divisors()))
    if shape == 3:
        return applied(draw(st.sampled_from(UNARY)), inner)
    if shape == 4:
        number = same(Integer(value=draw(st.integers(-40, 40))))
        return applied(draw(st.sampled_from(SHIFTS)), inner, number)
    if shape == 5:
        found = ceiling_shapes(inner, draw(divisors()))
        return found[draw(st.integers(0, len(found) - 1))]
    other = draw(pairs(depth=depth - 1))
    if shape == 6:
        return applied(draw(st.sampled_from(BINARY)), inner, other)
    return chosen(draw(pairs(depth=depth - 1)), inner, other)


@st.composite
def divisors(draw: st.DrawFn) -> Pair:
    """Numbers and symbols that are at least 1."""
    if draw(st.booleans()):
        return same(draw(st.sampled_from(DIVISORS)))
    return same(Integer(value=draw(st.integers(1, 33))))


values = st.fixed_dictionaries(
    {symbol: st.integers(-5, 300) for symbol in COUNTS}
    | {symbol: st.integers(1, 130) for symbol in DIVISORS}
)
