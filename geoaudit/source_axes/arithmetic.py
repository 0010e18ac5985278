"""Operators on values."""

from geoaudit.source_axes.arrays import LANE, WARP
from geoaudit.source_axes.polynomials import Polynomial, axis, constant, opaque
from geoaudit.source_axes.values import Value, combined

_MOST_TERMS = 24
_LONGEST_NAME = 200
_WARP_THREADS = 32
THREAD = axis(WARP).times(constant(_WARP_THREADS)).plus(axis(LANE))


def operation(operator: str, left: Value, right: Value, site: str) -> Value:
    """The result of a binary operator, with what is known of it as an index expression.

    Args:
        operator: as written.
        left: first operand.
        right: second operand.
        site: a name of the place, for results that are not taken apart.
    """
    name = f"({left.index}){operator}({right.index})"
    result = combined(name if len(name) < _LONGEST_NAME else site, [left, right])
    index = _index(operator, left.index, right.index)
    if index is None or len(index.terms) > _MOST_TERMS:
        return result
    return Value(index=index, sources=result.sources, carried=result.carried)


def _index(operator: str, left: Polynomial, right: Polynomial) -> Polynomial | None:
    if operator == "+":
        return left.plus(right)
    if operator == "-":
        return left.minus(right)
    if operator == "*":
        return left.times(right)
    by = right.whole_number
    if by is None or by < 0:
        return None
    if operator in ("<<", ">>"):
        factor = constant(2**by) if by < _WARP_THREADS else None
        if factor is None or operator == ">>":
            return None if factor is None else _quotient(left, 2**by)
        return left.times(factor)
    if operator == "/":
        return _quotient(left, by)
    if operator == "%":
        return _remainder(left, by)
    if operator == "&" and (by + 1) & by == 0:
        return _remainder(left, by + 1)
    return None


def _quotient(value: Polynomial, by: int) -> Polynomial | None:
    if by == 0:
        return None
    number = value.whole_number
    if number is not None:
        return constant(number // by) if number >= 0 else None
    if all(factor % by == 0 for _, factor in value.terms):
        return Polynomial(tuple((term, factor // by) for term, factor in value.terms))
    if value == THREAD and _WARP_THREADS % by == 0:
        part = axis(WARP).times(constant(_WARP_THREADS // by))
        return part if by == _WARP_THREADS else part.plus(opaque(f"lane/{by}", [LANE]))
    return constant(0) if value == axis(LANE) and by >= _WARP_THREADS else None


def _remainder(value: Polynomial, by: int) -> Polynomial | None:
    if by == 0:
        return None
    number = value.whole_number
    if number is not None:
        return constant(number % by) if number >= 0 else None
    if value in (THREAD, axis(LANE)) and by == _WARP_THREADS:
        return axis(LANE)
    if value in (THREAD, axis(LANE)) and _WARP_THREADS % by == 0:
        return opaque(f"lane%{by}", [LANE])
    return value if value == axis(LANE) and by > _WARP_THREADS else None


def pinned_by_equality(left: Polynomial, right: Polynomial) -> frozenset[str]:
    """The axes of which two expressions are equal for one coordinate alone."""
    difference = left.minus(right)
    axes = difference.axes
    factors = {one: difference.factor_of(one) for one in axes}
    if len(axes) == 1 and all(factors.values()):
        return axes
    is_thread = factors == {WARP: _WARP_THREADS, LANE: 1}
    return (
        axes if is_thread and difference.without(WARP).without(LANE).axes == set() else frozenset()
    )
