"""Values of extents: several where something is undecided, none where something is missing."""

from geoaudit.shardcheck.symbolic.evaluation import ValueOf, evaluate
from geoaudit.shardcheck.symbolic.extents import Case, Extent, Integer, Repeated, Symbol
from geoaudit.shardcheck.symbolic.making import arithmetic, cases, product, unknown

N = Symbol(name="n", kind="parameter")
M = Symbol(name="m", kind="parameter")
TILE = Symbol(name="TILE", kind="constant")


def number(value: int) -> Integer:
    return Integer(value=value)


def values_of(extent: Extent, known: ValueOf) -> set[int]:
    return set(evaluate(extent, known) or ())


def nothing(symbol: Symbol) -> None:
    """No symbol is known."""


def either(guard: Extent | None, then: Extent, otherwise: Extent, text: str = "") -> Extent:
    return cases([Case(guard=guard, value=then, text=text), Case(guard=number(1), value=otherwise)])


def test_a_missing_symbol_has_no_value() -> None:
    extent = product(N, M)
    assert evaluate(extent, {N: 3}.get) is None


def test_an_undecided_guard_gives_all_values() -> None:
    extent = either(arithmetic(">", M, number(4)), number(12), N)
    assert values_of(extent, {N: 48}.get) == {12, 48}
    assert values_of(extent, {N: 48, M: 5}.get) == {12}


def test_equal_guards_hold_together() -> None:
    x = either(arithmetic(">", M, number(4)), number(2), number(3))
    y = either(arithmetic("<=", M, number(4)), number(10), number(100))
    assert values_of(product(x, y), nothing) == {200, 30}
    told = [
        either(None, number(2), number(3), "fast"),
        either(None, number(10), number(100), "fast"),
    ]
    assert values_of(product(*told), nothing) == {20, 300}


def test_a_symbol_has_one_value_at_a_time() -> None:
    extent = product(arithmetic("cdiv", N, TILE), TILE)
    known = {N: frozenset({128}), TILE: frozenset({32, 64})}
    assert values_of(extent, known.get) == {128}


def test_a_loop_runs() -> None:
    extent = Repeated(
        variables=(N,),
        initial=(M,),
        condition=arithmetic(">", N, number(1000)),
        steps=(arithmetic("//", N, number(2)),),
        result=arithmetic("+", N, number(1)),
    )
    assert values_of(extent, {M: 4096}.get) == {513}
    endless = Repeated(variables=(N,), initial=(M,), condition=number(1), steps=(N,), result=N)
    assert evaluate(endless, {M: 1}.get) is None


def test_what_has_no_number_has_no_value() -> None:
    assert evaluate(arithmetic("//", N, M), {N: 3, M: 0}.get) is None
    assert evaluate(arithmetic("/", N, M), {N: 3, M: 2}.get) is None
    assert evaluate(arithmetic("<<", N, M), {N: 1, M: 63}.get) is None
    assert evaluate(unknown("not followed", N), {N: 1}.get) is None


def test_more_than_sixteen_values_are_not_told() -> None:
    assert evaluate(N, {N: frozenset(range(17))}.get) is None
