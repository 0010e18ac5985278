import math
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.manifest.arithmetic import LARGEST_INTEGER, ExpressionError
from geoaudit.manifest.expressions import Expression, parse_expression

VALUES = {"a": 3, "b": -7, "zero": 0, "heads_total": 96}


def _evaluate(text: str, *, is_real: bool = False) -> int | float:
    return parse_expression(text, is_real=is_real).evaluate(VALUES)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("96 / 8", 12),
        ("97 // 8", 12),
        ("-97 // 8", -13),
        ("-97 % 8", 7),
        ("cdiv(97, 8)", 13),
        ("cdiv(-97, 8)", -12),
        ("cdiv(96, 8)", 12),
        ("2 ** 3 ** 2", 512),
        ("-2 ** 2", -4),
        ("min(3, a, 9)", 3),
        ("max(a, b)", 3),
        ("min(5)", 5),
        ("1 < a < 4", 1),
        ("1 < a < 3", 0),
        ("a != b", 1),
        ("not a", 0),
        ("not zero", 1),
        ("zero or 128", 128),
        ("a and b", -7),
        ("a if zero else b", -7),
        ("1 // zero if zero else 5", 5),
        ("zero and 1 // zero", 0),
        ("a or 1 // zero", 3),
        ("+a - -b", -4),
        ("1_000 + 0x10", 1016),
        ("\n  a +\n  b\n", -4),
        ("2 ** 63 - 1 + 2 ** 63", LARGEST_INTEGER),
        ("(-1) ** 1000001", -1),
        ("0 ** 1000000000000", 0),
    ],
)
def test_values(text: str, value: int) -> None:
    assert _evaluate(text) == value
    assert type(_evaluate(text)) is int


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-6", 1e-6),
        ("4 ** -0.5", 0.5),
        ("1.0 / 8", 0.125),
        ("a / 2.0", 1.5),
        ("96 / 8", 12),
        ("cdiv(5.0, 2)", 3.0),
    ],
)
def test_real_values(text: str, value: float) -> None:
    assert _evaluate(text, is_real=True) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty; write a number or an expression"),
        ("heads_totl / 8", "unknown symbol heads_totl; did you mean heads_total?"),
        ("97 / 8", "97 / 8 is not exact; use // to round down or cdiv(a, b) to round up"),
        ("1 / zero", "division by zero in '1 / zero'"),
        ("1 // zero", "division by zero in '1 // zero'"),
        ("1 % zero", "division by zero in '1 % zero'"),
        ("cdiv(1, zero)", "division by zero in 'cdiv(1, zero)'"),
        ("2 ** -1", "2 ** -1 is not an integer; write 2.0 where a key takes reals"),
        ("2 ** 64", "the result is larger than 64 bits hold"),
        ("-(2 ** 63) * 2 - 1", "the result is larger than 64 bits hold"),
        ("9 ** 9 ** 9 ** 9", "the result is larger than 64 bits hold"),
        ("2 ** 10000000000", "the result is larger than 64 bits hold"),
        ("99999999999999999999", "the result is larger than 64 bits hold"),
        ("1e-6", "1e-06 is not an integer; write a whole number here"),
        ("if(a, 1, 2)", "`if(c, a, b)` is not known; write `a if c else b`"),
        ("cdvi(1, 2)", "unknown function 'cdvi'; did you mean cdiv?"),
        ("a(1)", "unknown function 'a'; the functions are cdiv, max, min"),
        ("cdiv(1)", "'cdiv(1)' is no call; write cdiv(a, b)"),
        ("min()", "'min()' is no call; write min(a, b)"),
        ("min(a, key=b)", "'min(a, key=b)' is no call; write min(a, b)"),
        ("min", "min is a function; write min(a, b)"),
        ("1 +", "'1 +' is not an expression; allowed are numbers, names, + - * / // % **"),
        ("1if a else 2", "'1if a else 2' is not an expression"),
        ("a.b", "'a.b' is not arithmetic"),
        ("a.b(1)", "unknown function 'a.b'"),
        ("min(*a)", "'*a' is not arithmetic"),
        ("a, b", "'a, b' is not arithmetic"),
        ("a is b", "'a is b' is not arithmetic"),
        ("a in b", "'a in b' is not arithmetic"),
        ("(yield)", "'yield' is not arithmetic"),
        ("True", "True is not a number"),
        ("1j", "1j is not a number"),
        ("a & b", "character '&' in an expression"),
        ("a[0]", "character '[' in an expression"),
        ("'a'", 'character "\'" in an expression'),
        ("a # b", "character '#' in an expression"),
        ("\uff41", "character '\\uff41' in an expression"),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as raised:
        _evaluate(text)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1e308 * 10", "the result is not a finite number"),
        ("10.0 ** 400", "the result is not a finite number"),
        ("1e999", "the result is not a finite number"),
        ("(-8.0) ** 0.5", "-8.0 ** 0.5 is not a real number"),
        ("0.0 ** -1", "division by zero in '0.0 ** (-1)'"),
    ],
)
def test_real_results_are_finite(text: str, message: str) -> None:
    with pytest.raises(ExpressionError, match="^" + re.escape(message)):
        _evaluate(text, is_real=True)


@pytest.mark.parametrize(
    "text",
    [
        "-" * 999 + "1",
        "(" * 400 + "1" + ")" * 400,
        "not " * 240 + "1",
        "1" + "+1" * 400,
        "a" + ".a" * 400,
        "min(" * 200 + "1" + ")" * 200,
        "1 if 1 else " * 80 + "1",
        "1" * 999,
        "1+" * 5_000_000 + "1",
        "(" * 999,
    ],
    ids=lambda text: text[:8],
)
def test_hostile_text_is_refused_at_once(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse_expression(text)


def test_names_are_those_of_symbols() -> None:
    assert parse_expression("min(a, cdiv(token, 4)) if b else a").names == {"a", "b", "token"}


def test_equal_text_is_an_equal_expression() -> None:
    assert parse_expression("a  + b") == parse_expression("a + b")
    assert hash(parse_expression("a  + b")) == hash(parse_expression("a + b"))


# Text and a function of Python's own that computes it: no division that is not exact, no power.
_Tree = tuple[str, Callable[[], int]]
_LEAVES: st.SearchStrategy[_Tree] = st.one_of(
    st.integers(-20, 20).map(lambda n: (f"({n})", lambda: n)),
    st.sampled_from(sorted(VALUES)).map(lambda name: (name, lambda: VALUES[name])),
)
_BINARY: dict[str, Callable[[Callable[[], int], Callable[[], int]], int]] = {
    "({} + {})": lambda x, y: x() + y(),
    "({} - {})": lambda x, y: x() - y(),
    "({} * {})": lambda x, y: x() * y(),
    "({} // {})": lambda x, y: x() // y(),
    "({} % {})": lambda x, y: x() % y(),
    "({} < {})": lambda x, y: int(x() < y()),
    "({} >= {})": lambda x, y: int(x() >= y()),
    "({} == {})": lambda x, y: int(x() == y()),
    "({} and {})": lambda x, y: x() and y(),
    "({} or {})": lambda x, y: x() or y(),
    "min({}, {})": lambda x, y: min(x(), y()),
    "max({}, {})": lambda x, y: max(x(), y()),
    "cdiv({}, {})": lambda x, y: -(-x() // y()),
    "(-{} if {} else 3)": lambda x, y: -x() if y() else 3,
}


def _joined(trees: st.SearchStrategy[_Tree]) -> st.SearchStrategy[_Tree]:
    return st.builds(
        lambda template, x, y: (
            template.format(x[0], y[0]),
            lambda: _BINARY[template](x[1], y[1]),
        ),
        st.sampled_from(sorted(_BINARY)),
        trees,
        trees,
    )


@given(tree=st.recursive(_LEAVES, _joined, max_leaves=12))
def test_random_arithmetic_equals_pythons(tree: _Tree) -> None:
    text, compute = tree
    try:
        expected = compute()
    except ZeroDivisionError:
        with pytest.raises(ExpressionError, match="division by zero"):
            _evaluate(text)
        return
    assert _evaluate(text) == expected


@given(base=st.integers(-40, 40), exponent=st.integers(-3, 70))
def test_powers_are_exact_or_refused(base: int, exponent: int) -> None:
    text = f"({base}) ** ({exponent})"
    if exponent < 0 or abs(base**exponent) > LARGEST_INTEGER:
        with pytest.raises(ExpressionError):
            _evaluate(text)
    else:
        assert _evaluate(text) == base**exponent


@given(dividend=st.integers(), divisor=st.integers(1, 1000))
def test_division_is_exact_or_refused(dividend: int, divisor: int) -> None:
    expression = parse_expression("x / y")
    values = {"x": dividend, "y": divisor}
    if abs(dividend) > LARGEST_INTEGER or dividend % divisor:
        with pytest.raises(ExpressionError):
            expression.evaluate(values)
    else:
        assert expression.evaluate(values) == dividend // divisor


@given(text=st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        expression = parse_expression(text)
    except ExpressionError:
        return
    assert isinstance(expression, Expression)


@given(
    tree=st.recursive(_LEAVES, _joined, max_leaves=6),
    inner=st.recursive(_LEAVES, _joined, max_leaves=4),
)
def test_replacing_a_symbol_is_giving_it_that_value(tree: _Tree, inner: _Tree) -> None:
    replacement = parse_expression(inner[0])
    try:
        value = int(replacement.evaluate(VALUES))
        expected = parse_expression(tree[0]).evaluate({**VALUES, "a": value})
    except ExpressionError:
        return
    assert parse_expression(tree[0]).with_values({"a": replacement}).evaluate(VALUES) == expected


@pytest.mark.parametrize("value", [-3, 0, 5])
def test_a_negative_number_keeps_its_sign_under_a_power(value: int) -> None:
    replaced = parse_expression("a ** 2 - token").with_values({"a": value})
    assert replaced.names == {"token"}
    assert replaced.evaluate({"token": 1}) == value**2 - 1


def test_replacing_cannot_grow_without_end() -> None:
    expression = parse_expression("a + a + a + a + a + a + a + a")
    expression = expression.with_values({"a": expression})
    assert expression.evaluate({"a": 1}) == 64
    with pytest.raises(ExpressionError, match="characters, an expression at most 1000"):
        expression.with_values({"a": expression})


def test_a_float_is_kept_to_its_last_bit() -> None:
    text = repr(math.pi)
    assert parse_expression(text, is_real=True).evaluate({}) == math.pi
