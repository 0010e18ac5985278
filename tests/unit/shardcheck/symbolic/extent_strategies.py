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


def ceiling_shapes(a: Pair, b: Pair) -> st.SearchStrategy[Pair]:
    one, zero = same(Integer(value=1)), same(Integer(value=0))
    left_over = applied("%", a, b)
    floor = applied("//", a, b)
    return st.sampled_from(
        [
            applied("//", applied("-", applied("+", a, b), one), b),
            applied("+", applied("//", applied("-", a, one), b), one),
            applied("+", floor, applied("!=", left_over, zero)),
            applied("-", applied("//", applied("-", a), b)),
            applied("ceil", applied("/", a, b)),
            applied("//", applied("*", a, b), b),
            chosen(left_over, applied("+", floor, one), floor),
            chosen(applied("==", left_over, zero), floor, applied("+", floor, one)),
        ]
    )


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


numbers = st.integers(-40, 40).map(lambda value: same(Integer(value=value)))
divisors = st.one_of(
    st.integers(1, 33).map(lambda value: same(Integer(value=value))),
    st.sampled_from(DIVISORS).map(same),
)


def _larger(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    quotients = st.builds(applied, st.sampled_from(["//", "cdiv", "%", "/"]), inner, divisors)
    binary = st.builds(
        applied,
        st.sampled_from(
            ["+", "-", "*", "min", "max", "<", "<=", ">", ">=", "==", "!=", "&&", "||", "&"]
        ),
        inner,
        inner,
    )
    unary = st.builds(applied, st.sampled_from(["-", "!", "floor", "ceil", "log2"]), inner)
    shifts = st.builds(applied, st.sampled_from(["<<", ">>", "&"]), inner, numbers)
    ceilings = st.tuples(inner, divisors).flatmap(lambda pair: ceiling_shapes(*pair))
    choices = st.builds(chosen, inner, inner, inner)
    return st.one_of(quotients, binary, unary, shifts, ceilings, choices)


pairs = st.recursive(st.one_of(numbers, divisors, st.sampled_from(COUNTS).map(same)), _larger)
values = st.fixed_dictionaries(
    {symbol: st.integers(-5, 300) for symbol in COUNTS}
    | {symbol: st.integers(1, 130) for symbol in DIVISORS}
)
