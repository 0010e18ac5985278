"""The values of all symbols at one place of a step."""

from collections.abc import Mapping
from dataclasses import dataclass

from geoaudit.manifest.arithmetic import Number
from geoaudit.manifest.formula import Formula
from geoaudit.manifest.model import TOKEN

SymbolValue = int | Formula
"""The value of a symbol: a number, or a formula of the token alone."""


@dataclass(frozen=True, kw_only=True)
class Environment:
    """What every symbol is worth.

    Attributes:
        values: of all symbols but the token.
        given: of those that follow from no formula: arms, ``--set`` and ``set``.
    """

    values: Mapping[str, SymbolValue]
    given: Mapping[str, SymbolValue]


def settle(symbols: Mapping[str, Formula], given: Mapping[str, SymbolValue]) -> Environment:
    """The values of symbols, some of which are given.

    Args:
        symbols: name -> formula, each after those it uses.
        given: values that stand above the formulas.

    Raises:
        ManifestError: a formula cannot be worked out.
    """
    values = dict(given)
    for name, formula in symbols.items():
        if name not in values:
            values[name] = resolve_symbol(formula, values)
    return Environment(values=values, given=given)


def resolve(formula: Formula, values: Mapping[str, SymbolValue]) -> Number | Formula:
    """The value of a formula: a number, or where it varies a formula of the token alone.

    Raises:
        ManifestError: it cannot be worked out.
    """
    used = {name: values[name] for name in formula.names if name in values}
    numbers = {name: value for name, value in used.items() if isinstance(value, int)}
    if TOKEN in formula.names or len(numbers) < len(used):
        return formula.with_values(used)
    return formula.value(numbers)


def resolve_symbol(formula: Formula, values: Mapping[str, SymbolValue]) -> SymbolValue:
    """The value of a formula of integers.

    Raises:
        ManifestError: it cannot be worked out.
    """
    value = resolve(formula, values)
    assert not isinstance(value, float), "a formula of integers has no other value"
    return value


def whole_number(
    formula: Formula, values: Mapping[str, SymbolValue], *, minimum: int, maximum: int
) -> int:
    """The value of a formula that must be the same at every token.

    Raises:
        ManifestError: it cannot be worked out, varies, or is out of range.
    """
    value = resolve_symbol(formula, values)
    if isinstance(value, Formula):
        raise formula.location.error(
            f"depends on the token ({value.expression.text[:200]}); only a scalar argument may, so "
            "that one plan serves every token"
        )
    if not minimum <= value <= maximum:
        raise formula.location.error(
            f"is {value}, not within {minimum} to {maximum}; change {formula.expression.text[:200]}"
        )
    return value
