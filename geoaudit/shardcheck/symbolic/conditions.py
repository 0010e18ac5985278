"""Conditions: comparisons, ``&& || !``, and what is their opposite."""

from geoaudit.shardcheck.symbolic.extents import Arithmetic, Extent, Integer
from geoaudit.shardcheck.symbolic.operators import applied

OPPOSITES = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
_TRUE = Integer(value=1)
_FALSE = Integer(value=0)


def comparison(operator: str, a: Extent, b: Extent) -> Extent:
    """A comparison; of a condition with 0 the condition itself or its opposite."""
    if a == b and not isinstance(a, Integer):
        return _TRUE if applied(operator, (0, 0)) else _FALSE
    if b == _FALSE and is_condition(a) and operator in ("!=", "=="):
        return a if operator == "!=" else negation(a)
    return Arithmetic(operator=operator, operands=(a, b))


def negation(a: Extent) -> Extent:
    """What holds where `a` does not."""
    if isinstance(a, Integer):
        return _FALSE if a.value else _TRUE
    if isinstance(a, Arithmetic):
        if a.operator in OPPOSITES:
            return Arithmetic(operator=OPPOSITES[a.operator], operands=a.operands)
        if a.operator == "!":
            return _as_condition(a.operands[0])
    return Arithmetic(operator="!", operands=(a,))


def joined(operator: str, operands: tuple[Extent, ...]) -> Extent:
    """``&&`` or ``||`` of conditions; what cannot change it is dropped."""
    deciding, neutral = (_FALSE, _TRUE) if operator == "&&" else (_TRUE, _FALSE)
    kept: dict[Extent, None] = {}
    for operand in operands:
        if isinstance(operand, Arithmetic) and operand.operator == operator:
            kept |= dict.fromkeys(operand.operands)
        elif not isinstance(operand, Integer):
            kept[operand] = None
        elif bool(operand.value) == bool(deciding.value):
            return deciding
    if not kept:
        return neutral
    if len(kept) == 1:
        return _as_condition(next(iter(kept)))
    return Arithmetic(operator=operator, operands=tuple(kept))


def is_condition(extent: Extent) -> bool:
    """Whether an extent is always 0 or 1."""
    if isinstance(extent, Integer):
        return extent.value in (0, 1)
    return isinstance(extent, Arithmetic) and extent.operator in (*OPPOSITES, "&&", "||", "!")


def _as_condition(extent: Extent) -> Extent:
    if is_condition(extent):
        return extent
    return Arithmetic(operator="!=", operands=(extent, _FALSE))
