"""Extents are made here: integers folded, sums and products gathered, ceilings recognised.

What is made has the value of what was written wherever that has one and divisors are positive; a
division by 0 may cancel.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from geoaudit.shardcheck.symbolic import conditions
from geoaudit.shardcheck.symbolic.extents import (
    Arithmetic,
    Case,
    Cases,
    Extent,
    Integer,
    Unknown,
)
from geoaudit.shardcheck.symbolic.operators import applied
from geoaudit.shardcheck.symbolic.quotients import (
    ceil_division as ceiling_of_quotient,
)
from geoaudit.shardcheck.symbolic.quotients import (
    floor_division,
    quotient,
    remainder,
    rounded,
    with_ceilings,
)
from geoaudit.shardcheck.symbolic.terms import (
    extent_of_term,
    extent_of_terms,
    term_of_product,
    terms,
)
from geoaudit.shardcheck.symbolic.walking import is_larger, symbols

LARGEST_EXTENT = 256
"""Operators, symbols and numbers in one extent; a larger one is Unknown."""
MOST_CASES = 64
TOO_LARGE = f"more than {LARGEST_EXTENT} operators and names in one extent"
"""Why it is."""


def arithmetic(operator: str, *operands: Extent) -> Extent:
    """An operator on extents, simplified; see `Arithmetic` for the operators."""
    return _bounded(_arithmetic(operator, operands))


def product(*factors: Extent) -> Extent:
    """The product of extents; 1 of none."""
    return arithmetic("*", *factors)


def ceil_division(a: Extent, b: Extent) -> Extent:
    """The ceiling of ``a / b``."""
    return arithmetic("cdiv", a, b)


def cases(alternatives: Iterable[Case]) -> Extent:
    """The first case whose guard holds, simplified.

    Guards that are known decide, cases within cases are laid out, what cannot be reached and
    neighbours of equal value are dropped; where one value is left it is that value.
    """
    given = tuple(alternatives)
    extreme = _as_extreme(given)
    if extreme is not None:
        return _bounded(extreme)
    kept: list[Case] = []
    for case in _laid_out(given):
        if isinstance(case.guard, Integer) and not case.guard.value:
            continue
        if case in kept:
            continue
        kept.append(_merged(kept.pop(), case) if kept and kept[-1].value == case.value else case)
        if isinstance(kept[-1].guard, Integer):
            break
    if not kept:
        return Unknown(reason="no case can hold")
    if len(kept) == 1:
        return kept[0].value
    return _bounded(_as_ceiling(kept) or _as_extreme(kept) or Cases(cases=tuple(kept)))


def unknown(reason: str, *parts: Extent) -> Unknown:
    """What cannot be told, with the symbols it depends on."""
    known = dict.fromkeys(symbol for part in parts for symbol in symbols(part))
    return Unknown(reason=reason, parts=tuple(known))


def _arithmetic(operator: str, operands: tuple[Extent, ...]) -> Extent:
    values = [operand.value for operand in operands if isinstance(operand, Integer)]
    if len(values) == len(operands):
        folded = applied(operator, values) if operands else None
        if isinstance(folded, int):
            return Integer(value=folded)
    of_many = _OF_MANY.get(operator)
    if of_many is not None:
        return of_many(operands)
    if len(operands) == 1 and operator in _OF_ONE:
        return _OF_ONE[operator](operands[0])
    if len(operands) == 2 and operator in _OF_TWO:
        return _OF_TWO[operator](operands[0], operands[1])
    return Arithmetic(operator=operator, operands=operands)


def _total(operator: str, operands: tuple[Extent, ...]) -> Extent:
    return extent_of_terms(with_ceilings(terms(Arithmetic(operator=operator, operands=operands))))


def _product(operands: tuple[Extent, ...]) -> Extent:
    found = list(operands)
    for number, factor in enumerate(found):
        if isinstance(factor, Arithmetic) and factor.operator == "/":
            numerator, divisor = factor.operands
            if divisor in found:
                found[number] = numerator
                found.remove(divisor)
                return _product(tuple(found))
    return extent_of_term(term_of_product(found))


def _extreme(operator: str, operands: tuple[Extent, ...]) -> Extent:
    flat = [
        inner
        for operand in operands
        for inner in (
            operand.operands
            if isinstance(operand, Arithmetic) and operand.operator == operator
            else (operand,)
        )
    ]
    numbers = [one.value for one in flat if isinstance(one, Integer)]
    named = dict.fromkeys(one for one in flat if not isinstance(one, Integer))
    best = min(numbers, default=None) if operator == "min" else max(numbers, default=None)
    kept = (*named, *(() if best is None else (Integer(value=best),)))
    return kept[0] if len(kept) == 1 else Arithmetic(operator=operator, operands=kept)


def _shift(operator: str, a: Extent, b: Extent) -> Extent:
    if not isinstance(b, Integer) or not 0 <= b.value < 63:
        return Arithmetic(operator=operator, operands=(a, b))
    power = Integer(value=1 << b.value)
    return _product((a, power)) if operator == "<<" else floor_division(a, power)


def _masked(a: Extent, b: Extent) -> Extent:
    """``a & ~31`` is the multiple of 32 below."""
    for value, mask in ((a, b), (b, a)):
        if isinstance(mask, Integer) and mask.value < 0 and (-mask.value).bit_count() == 1:
            unit = Integer(value=-mask.value)
            return _product((floor_division(value, unit), unit))
    return Arithmetic(operator="&", operands=(a, b))


def _power(a: Extent, b: Extent) -> Extent:
    if b == Integer(value=1):
        return a
    return Arithmetic(operator="**", operands=(a, b))


_OF_MANY: Mapping[str, Callable[[tuple[Extent, ...]], Extent]] = {
    "+": lambda operands: _total("+", operands),
    "-": lambda operands: _total("-", operands),
    "*": _product,
    "min": lambda operands: _extreme("min", operands),
    "max": lambda operands: _extreme("max", operands),
    "&&": lambda operands: conditions.joined("&&", operands),
    "||": lambda operands: conditions.joined("||", operands),
}
_OF_ONE: Mapping[str, Callable[[Extent], Extent]] = {
    "!": conditions.negation,
    "floor": lambda a: rounded("floor", a),
    "ceil": lambda a: rounded("ceil", a),
}
_OF_TWO: Mapping[str, Callable[[Extent, Extent], Extent]] = {
    "//": floor_division,
    "cdiv": ceiling_of_quotient,
    "/": quotient,
    "%": remainder,
    "**": _power,
    "&": _masked,
    "<<": lambda a, b: _shift("<<", a, b),
    ">>": lambda a, b: _shift(">>", a, b),
    "<": lambda a, b: conditions.comparison("<", a, b),
    "<=": lambda a, b: conditions.comparison("<=", a, b),
    ">": lambda a, b: conditions.comparison(">", a, b),
    ">=": lambda a, b: conditions.comparison(">=", a, b),
    "==": lambda a, b: conditions.comparison("==", a, b),
    "!=": lambda a, b: conditions.comparison("!=", a, b),
}


def _laid_out(alternatives: Iterable[Case]) -> Iterable[Case]:
    """Cases of cases as cases of their own, while there are few."""
    given = tuple(alternatives)
    inner = sum(len(case.value.cases) for case in given if isinstance(case.value, Cases))
    if not inner or inner + len(given) > MOST_CASES:
        return given
    return tuple(
        laid_out
        for place, case in enumerate(given, 1)
        for laid_out in (
            _within(case, case.value.cases, is_last=place == len(given))
            if isinstance(case.value, Cases)
            else (case,)
        )
    )


def _within(outer: Case, inner: tuple[Case, ...], *, is_last: bool) -> tuple[Case, ...]:
    """Cases of one case as cases beside it; the case itself where its guard would be lost."""
    texts = [" and ".join(text for text in (outer.text, one.text) if text) for one in inner]
    if outer.guard is None:
        # What no case before it decides needs nothing more to be within it.
        guards = [one.guard if is_last else None for one in inner]
        is_lost = not is_last and any(one.guard is not None for one in inner)
    else:
        conditions_ = [one.guard for one in inner]
        is_lost = any(one is None for one in conditions_[:-1])
        guards = [
            outer.guard if one is None else arithmetic("&&", outer.guard, one)
            for one in conditions_
        ]
    if is_lost:
        return (outer,)
    return tuple(
        Case(guard=guard, value=one.value, text=text)
        for guard, one, text in zip(guards, inner, texts, strict=True)
    )


def _merged(first: Case, second: Case) -> Case:
    """Neighbours of equal value as one case."""
    text = " or ".join(text for text in (first.text, second.text) if text)
    if first.guard is None or second.guard is None:
        return Case(guard=None, value=first.value, text=text)
    guard = arithmetic("||", first.guard, second.guard)
    return Case(guard=guard, value=first.value, text=text)


def _as_ceiling(kept: list[Case]) -> Extent | None:
    """``a % b ? a // b + 1 : a // b`` and its mirror image are a ceiling."""
    if len(kept) != 2 or kept[0].guard is None:
        return None
    whole, more, guard = kept[1].value, kept[0].value, kept[0].guard
    if isinstance(guard, Arithmetic) and guard.operator == "==":
        whole, more = more, whole
        guard = conditions.negation(guard)
    made = arithmetic("+", whole, arithmetic("!=", guard, Integer(value=0)))
    is_ceiling = isinstance(made, Arithmetic) and made.operator == "cdiv"
    return made if is_ceiling and more == arithmetic("+", whole, Integer(value=1)) else None


def _as_extreme(kept: Sequence[Case]) -> Extent | None:
    """``a < b ? a : b`` is a minimum, ``a < b ? b : a`` a maximum."""
    if len(kept) != 2 or kept[1].guard not in (None, Integer(value=1)):
        return None
    guard = kept[0].guard
    values = (kept[0].value, kept[1].value)
    if not isinstance(guard, Arithmetic) or guard.operator not in ("<", "<=", ">", ">="):
        return None
    operands = guard.operands if set(values) == set(guard.operands) else _next_bound(guard)
    if set(values) != set(operands):
        return None
    is_minimum = (guard.operator in ("<", "<=")) is (values == operands)
    return arithmetic("min" if is_minimum else "max", *values)


def _next_bound(guard: Arithmetic) -> tuple[Extent, ...]:
    """The operands of ``a < 1`` where ``a <= 0`` is asked, and of ``a > 8`` where ``a >= 9`` is."""
    a, b = guard.operands
    if not isinstance(b, Integer):
        return ()
    step = {"<=": 1, ">": 1, "<": -1, ">=": -1}[guard.operator]
    return a, Integer(value=b.value + step)


def _bounded(extent: Extent) -> Extent:
    if not is_larger(extent, LARGEST_EXTENT):
        return extent
    return unknown(TOO_LARGE, extent)
