"""Extents as text a person reads: ``cdiv(head_dim, 32)``, ``n_head * 3``."""

from geoaudit.shardcheck.symbolic.extents import (
    Arithmetic,
    Cases,
    Extent,
    Integer,
    Repeated,
    Symbol,
)

LONGEST_TEXT = 160

_TIGHTNESS = {
    "||": 1,
    "&&": 2,
    "|": 4,
    "^": 5,
    "&": 6,
    "<<": 7,
    ">>": 7,
    "+": 8,
    "-": 8,
    "*": 9,
    "/": 9,
    "//": 9,
    "%": 9,
    "**": 11,
} | dict.fromkeys(("<", "<=", ">", ">=", "==", "!="), 3)
_CHOICE, _UNARY, _WHOLE = 0, 10, 12


def as_text(extent: Extent, longest: int = LONGEST_TEXT) -> str:
    """An extent in one line of at most `longest` characters; ``...`` where it is cut."""
    text, _ = _worded(extent, longest)
    return text if len(text) <= longest else f"{text[: longest - 3].rstrip()}..."


def _worded(extent: Extent, longest: int) -> tuple[str, int]:
    """Text and how tightly it binds; deeper than `longest` it is not looked at."""
    if longest <= 0:
        return "...", _WHOLE
    if isinstance(extent, Integer):
        return str(extent.value), _WHOLE if extent.value >= 0 else _UNARY
    if isinstance(extent, Symbol):
        return extent.name, _WHOLE
    if isinstance(extent, Arithmetic):
        return _operation(extent, longest - 1)
    if isinstance(extent, Cases):
        return _alternatives(extent, longest - 1), _CHOICE
    if isinstance(extent, Repeated):
        initial = ", ".join(_worded(one, longest - 1)[0] for one in extent.initial)
        names = ", ".join(variable.name for variable in extent.variables)
        result = _worded(extent.result, longest - 1)[0]
        return f"loop({result}; {names} from {initial})", _WHOLE
    inner = ", ".join(dict.fromkeys(_worded(part, longest - 1)[0] for part in extent.parts))
    return f"unknown({inner or extent.reason})", _WHOLE


def _operation(extent: Arithmetic, longest: int) -> tuple[str, int]:
    operator, operands = extent.operator, extent.operands
    if len(operands) == 1 and operator in ("-", "!", "~"):
        return f"{operator}{_operand(operands[0], _UNARY, longest)}", _UNARY
    tightness = _TIGHTNESS.get(operator)
    if tightness is None:
        inner = ", ".join(_worded(operand, longest)[0] for operand in operands)
        return f"{operator}({inner})", _WHOLE
    texts = [_operand(operands[0], tightness, longest)] if operands else []
    texts += [_operand(operand, tightness + 1, longest) for operand in operands[1:]]
    return f" {operator} ".join(texts), tightness


def _operand(extent: Extent, tightness: int, longest: int) -> str:
    text, inner = _worded(extent, longest)
    return text if inner >= tightness else f"({text})"


def _alternatives(extent: Cases, longest: int) -> str:
    """``a if n > 4 else b``; ``a or b`` where nothing is known of the condition."""
    if not any(case.guard or case.text for case in extent.cases):
        return " or ".join(
            dict.fromkeys(_operand(case.value, _CHOICE + 1, longest) for case in extent.cases)
        )
    text = ""
    for number, case in enumerate(extent.cases):
        text += _operand(case.value, _CHOICE + 1, longest)
        if number == len(extent.cases) - 1:
            return text
        condition = case.text or (_worded(case.guard, longest)[0] if case.guard else "")
        text += f" if {condition} else " if condition else " or "
    return text
