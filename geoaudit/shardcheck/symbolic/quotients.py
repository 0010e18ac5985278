"""Quotients: floor, ceiling, remainder, exact. Common factors cancel, ceilings are recognised.

What is made equals what was written wherever divisors are positive.
"""

import math

from geoaudit.shardcheck.symbolic.extents import (
    Arithmetic,
    Cases,
    Extent,
    Integer,
    Repeated,
    Symbol,
)
from geoaudit.shardcheck.symbolic.terms import (
    Term,
    coefficients,
    constant,
    extent_of_terms,
    factors_of,
    term,
    terms,
)

_ONE = Integer(value=1)
_ROUNDING = {"floor": "//", "ceil": "cdiv"}


def floor_division(a: Extent, b: Extent) -> Extent:
    """``a // b``; as ``cdiv`` where it is written as a ceiling: ``(a + b - 1) // b``."""
    a, b = _reduced(a, b)
    if b == _ONE:
        return rounded("floor", a)
    if not terms(a):
        return Integer(value=0)
    ceiling = _numerator_of_ceiling(a, b) if is_integral(a) and is_integral(b) else None
    return ceil_division(ceiling, b) if ceiling is not None else _nested("//", a, b)


def ceil_division(a: Extent, b: Extent) -> Extent:
    """The ceiling of ``a / b``."""
    a, b = _reduced(a, b)
    if b == _ONE:
        return rounded("ceil", a)
    return Integer(value=0) if not terms(a) else _nested("cdiv", a, b)


def quotient(a: Extent, b: Extent) -> Extent:
    """``a / b`` with its fraction."""
    a, b = _reduced(a, b)
    return a if b == _ONE else _pair("/", a, b)


def remainder(a: Extent, b: Extent) -> Extent:
    """``a % b``; 0 where `b` is a factor of every term of `a`."""
    reduced, divisor = _reduced(a, b)
    if divisor == _ONE and is_integral(reduced):
        return Integer(value=0)
    return _pair("%", a, b)


def rounded(operator: str, a: Extent) -> Extent:
    """``floor`` or ``ceil`` of an extent; of a quotient of integers their division."""
    if is_integral(a):
        return a
    if isinstance(a, Arithmetic) and a.operator == "/" and all(map(is_integral, a.operands)):
        divide = floor_division if operator == "floor" else ceil_division
        return divide(*a.operands)
    return Arithmetic(operator=operator, operands=(a,))


def is_integral(extent: Extent) -> bool:
    """Whether an extent is a whole number whatever its symbols are."""
    if isinstance(extent, Integer | Symbol):
        return True
    if isinstance(extent, Arithmetic):
        if extent.operator in ("/", "log2", "**"):
            return False
        return extent.operator in _ROUNDING or all(map(is_integral, extent.operands))
    if isinstance(extent, Cases):
        return all(is_integral(case.value) for case in extent.cases)
    if isinstance(extent, Repeated):
        return all(map(is_integral, (*extent.initial, *extent.steps, extent.result)))
    return False


def with_ceilings(found: tuple[Term, ...]) -> tuple[Term, ...]:
    """A sum of terms in which ceilings that are written otherwise are ``cdiv``.

    Known: ``(a - 1) // b + 1``, ``a // b + (a % b != 0)``, ``-(-a // b)``.
    """
    for one in found:
        quotient_of = _floor_quotient(one)
        if quotient_of is None:
            continue
        rest = tuple(other for other in found if other is not one)
        made = _ceiling_in_sum(one.coefficient, *quotient_of, rest)
        if made is not None:
            return made
    return found


def _floor_quotient(one: Term) -> tuple[Extent, Extent] | None:
    if len(one.factors) != 1 or abs(one.coefficient) != 1:
        return None
    factor = one.factors[0]
    if isinstance(factor, Arithmetic) and factor.operator == "//":
        return factor.operands[0], factor.operands[1]
    return None


def _ceiling_in_sum(
    sign: int, a: Extent, b: Extent, rest: tuple[Term, ...]
) -> tuple[Term, ...] | None:
    numerator = terms(a)
    if sign < 0:
        if not all(one.coefficient < 0 for one in numerator):
            return None
        return (term(ceil_division(_shifted(numerator, 0, -1), b)), *rest)
    if constant(rest) >= 1 and constant(numerator) == -1 and is_integral(a):
        ceiling = term(ceil_division(_shifted(numerator, 1), b))
        return (ceiling, *terms(_shifted(rest, -1)))
    for one in rest:
        if one.coefficient == 1 and len(one.factors) == 1 and _tests(one.factors[0], a, b):
            return (term(ceil_division(a, b)), *(other for other in rest if other is not one))
    return None


def _tests(extent: Extent, a: Extent, b: Extent) -> bool:
    """Whether an extent is 1 where ``a % b`` is not 0, and 0 elsewhere."""
    left_over = _pair("%", a, b)
    if not isinstance(extent, Arithmetic) or len(extent.operands) != 2:
        return False
    zero, one = Integer(value=0), _ONE
    return (extent.operator, *extent.operands) in (
        ("!=", left_over, zero),
        ("!=", zero, left_over),
        (">", left_over, zero),
        (">=", left_over, one),
        ("<", zero, left_over),
        ("min", left_over, one),
        ("min", one, left_over),
    )


def _numerator_of_ceiling(x: Extent, b: Extent) -> Extent | None:
    """``a`` where ``x`` is ``a + b - 1`` with everything of `b` visible in `x`; else None."""
    found, divisor = terms(x), terms(b)
    number = constant(divisor)
    named = {factors_of(one): one.coefficient for one in divisor if one.factors}
    here = coefficients(x)
    if constant(found) != number - 1 or (not named and number < 2):
        return None
    if any(here.get(factors) != coefficient for factors, coefficient in named.items()):
        return None
    left = tuple(one for one in found if one.factors and factors_of(one) not in named)
    return extent_of_terms(left) if left else None


def _reduced(a: Extent, b: Extent) -> tuple[Extent, Extent]:
    """Numerator and divisor without the factors that all their terms have."""
    above, below = terms(a), terms(b)
    if len(below) != 1 or not above:
        return a, b
    number = math.gcd(*(one.coefficient for one in (*above, *below)))
    removed: list[Extent] = []
    left = [list(one.factors) for one in above]
    for factor in below[0].factors:
        if all(factor in factors for factors in left):
            removed.append(factor)
            for factors in left:
                factors.remove(factor)
    if number == 1 and not removed:
        return a, b
    divided = (
        Term(coefficient=one.coefficient // number, factors=tuple(factors))
        for one, factors in zip(above, left, strict=True)
    )
    return extent_of_terms(divided), extent_of_terms((_without(below[0], removed, number),))


def _without(one: Term, removed: list[Extent], number: int) -> Term:
    factors = list(one.factors)
    for factor in removed:
        factors.remove(factor)
    return Term(coefficient=one.coefficient // number, factors=tuple(factors))


def _nested(operator: str, a: Extent, b: Extent) -> Extent:
    """``(x // 4) // 8`` is ``x // 32``; for ceilings as well."""
    if isinstance(b, Integer) and b.value > 0 and isinstance(a, Arithmetic):
        inner = a.operands[-1]
        if a.operator == operator and isinstance(inner, Integer) and inner.value > 0:
            return _pair(operator, a.operands[0], Integer(value=inner.value * b.value))
    return _pair(operator, a, b)


def _shifted(found: tuple[Term, ...], by: int, sign: int = 1) -> Extent:
    scaled = tuple(
        Term(coefficient=sign * one.coefficient + (0 if one.factors else by), factors=one.factors)
        for one in found
    )
    return extent_of_terms(scaled)


def _pair(operator: str, a: Extent, b: Extent) -> Extent:
    return Arithmetic(operator=operator, operands=(a, b))
