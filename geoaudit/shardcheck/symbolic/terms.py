"""An extent as a sum of terms: a coefficient and the factors it multiplies."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from geoaudit.shardcheck.symbolic.extents import Arithmetic, Extent, Integer

Factors = frozenset[tuple[Extent, int]]
"""Factors with their powers: equal in whatever order they are written."""


@dataclass(frozen=True, kw_only=True)
class Term:
    """``coefficient x factors``, as written; the number alone has no factors."""

    coefficient: int
    factors: tuple[Extent, ...] = ()


def term(extent: Extent) -> Term:
    """An extent as one term: integers of a product gathered in the coefficient."""
    if isinstance(extent, Integer):
        return Term(coefficient=extent.value)
    if not isinstance(extent, Arithmetic):
        return Term(coefficient=1, factors=(extent,))
    if extent.operator == "-" and len(extent.operands) == 1:
        inner = term(extent.operands[0])
        return Term(coefficient=-inner.coefficient, factors=inner.factors)
    if extent.operator == "*":
        return term_of_product(extent.operands)
    return Term(coefficient=1, factors=(extent,))


def term_of_product(operands: Iterable[Extent]) -> Term:
    """The product of extents as one term."""
    coefficient = 1
    factors: list[Extent] = []
    for operand in operands:
        inner = term(operand)
        coefficient *= inner.coefficient
        factors.extend(inner.factors)
    return Term(coefficient=coefficient, factors=tuple(factors) if coefficient else ())


def terms(extent: Extent) -> tuple[Term, ...]:
    """An extent as a sum of terms; equal factors gathered, no term with coefficient 0."""
    gathered: dict[Factors, Term] = {}
    for found in _terms(extent, 1):
        key = factors_of(found)
        before = gathered.get(key)
        if before is None:
            gathered[key] = found
        else:
            coefficient = before.coefficient + found.coefficient
            gathered[key] = Term(coefficient=coefficient, factors=before.factors)
    return tuple(found for found in gathered.values() if found.coefficient)


def extent_of_term(found: Term) -> Extent:
    """A term as an extent: its factors as written, then the coefficient."""
    if not found.factors:
        return Integer(value=found.coefficient)
    if found.coefficient == -1:
        inner = extent_of_term(Term(coefficient=1, factors=found.factors))
        return Arithmetic(operator="-", operands=(inner,))
    number = () if found.coefficient == 1 else (Integer(value=found.coefficient),)
    factors = (*found.factors, *number)
    return factors[0] if len(factors) == 1 else Arithmetic(operator="*", operands=factors)


def extent_of_terms(found: Iterable[Term]) -> Extent:
    """A sum of terms as an extent: what is added, less what is taken away, numbers last."""
    ordered = sorted((one for one in found if one.coefficient), key=lambda one: not one.factors)
    added = tuple(extent_of_term(one) for one in ordered if one.coefficient > 0)
    taken = tuple(
        extent_of_term(Term(coefficient=-one.coefficient, factors=one.factors))
        for one in ordered
        if one.coefficient < 0
    )
    if not taken:
        return _sum(added)
    return Arithmetic(operator="-", operands=(*((_sum(added),) if added else ()), _sum(taken)))


def coefficients(extent: Extent) -> Mapping[Factors, int]:
    """Coefficient of each group of factors; the number alone under no factors."""
    return {factors_of(found): found.coefficient for found in terms(extent)}


def constant(found: Iterable[Term]) -> int:
    """The number alone in a sum of terms; 0 where there is none."""
    return sum(one.coefficient for one in found if not one.factors)


def factors_of(found: Term) -> Factors:
    """The factors of a term, whatever their order."""
    return frozenset(Counter(found.factors).items())


def _terms(extent: Extent, sign: int) -> Iterable[Term]:
    if isinstance(extent, Arithmetic) and extent.operator in ("+", "-"):
        last_sign = sign
        if extent.operator == "-":
            last_sign = -sign
        if len(extent.operands) == 1:
            yield from _terms(extent.operands[0], last_sign)
            return
        yield from _terms(extent.operands[0], sign)
        for operand in extent.operands[1:]:
            yield from _terms(operand, last_sign)
        return
    found = term(extent)
    yield Term(coefficient=sign * found.coefficient, factors=found.factors)


def _sum(operands: tuple[Extent, ...]) -> Extent:
    if not operands:
        return Integer(value=0)
    return operands[0] if len(operands) == 1 else Arithmetic(operator="+", operands=operands)
