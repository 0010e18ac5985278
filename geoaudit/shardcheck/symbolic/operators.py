"""What each operator of `Arithmetic` makes of numbers; None where there is no such number."""

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

Quantity = int | Fraction
LARGEST = 2**63 - 1
"""No extent is larger: beyond it an evaluation ends."""


def applied(name: str, values: Sequence[Quantity]) -> Quantity | None:
    """The value of an operator; a whole number is always an int.

    None: division by zero, rounding of a quotient by a negative number, more than 64 bits, an
    operator of integers on fractions, or the operator is not known.
    """
    several = _OF_MANY.get(name)
    if several is not None and values:
        return _bounded(several(values))
    if len(values) == 1 and name in _OF_ONE:
        return _bounded(_OF_ONE[name](values[0]))
    if len(values) == 2 and name in _OF_TWO:
        return _bounded(_OF_TWO[name](values[0], values[1]))
    return None


def _bounded(value: Quantity | None) -> Quantity | None:
    if value is None or not -LARGEST <= value <= LARGEST:
        return None
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else value
    return int(value)


def _product(values: Sequence[Quantity]) -> Quantity | None:
    result: Quantity = 1
    for value in values:
        result *= value
        if not -LARGEST <= result <= LARGEST and 0 not in values:
            return None
    return result


def _quotient(a: Quantity, b: Quantity) -> Quantity | None:
    return None if b == 0 else Fraction(a) / Fraction(b)


def _floor_division(a: Quantity, b: Quantity) -> Quantity | None:
    return None if b == 0 else a // b


def _ceil_division(a: Quantity, b: Quantity) -> Quantity | None:
    return None if b <= 0 else -(-a // b)


def _remainder(a: Quantity, b: Quantity) -> Quantity | None:
    return None if b == 0 else a % b


def _power(a: Quantity, b: Quantity) -> Quantity | None:
    if not isinstance(b, int) or abs(b) > 64 or (a == 0 and b < 0):
        return None
    return Fraction(a) ** b


def _shift_left(a: Quantity, b: Quantity) -> Quantity | None:
    if not (isinstance(a, int) and isinstance(b, int)) or not 0 <= b < 64:
        return None
    return a << b


def _shift_right(a: Quantity, b: Quantity) -> Quantity | None:
    if not (isinstance(a, int) and isinstance(b, int)) or not 0 <= b < 64:
        return None
    return a >> b


def _bitwise(apply: Callable[[int, int], int]) -> Callable[[Quantity, Quantity], Quantity | None]:
    def of_integers(a: Quantity, b: Quantity) -> Quantity | None:
        return apply(a, b) if isinstance(a, int) and isinstance(b, int) else None

    return of_integers


def _next_power_of_2(a: Quantity) -> Quantity | None:
    if not isinstance(a, int):
        return None
    return 1 << (a - 1).bit_length() if a > 0 else 0


def _log2(a: Quantity) -> Quantity | None:
    """Exact for powers of 2; otherwise a fraction between the right integers."""
    if not isinstance(a, int) or a <= 0:
        return None
    below = a.bit_length() - 1
    if a == 1 << below:
        return below
    between = Fraction(math.log2(a))
    return between if below < between < below + 1 else below + Fraction(1, 2)


_OF_MANY: Mapping[str, Callable[[Sequence[Quantity]], Quantity | None]] = {
    "+": sum,
    "*": _product,
    "min": min,
    "max": max,
    "&&": lambda values: int(all(values)),
    "||": lambda values: int(any(values)),
}
_OF_ONE: Mapping[str, Callable[[Quantity], Quantity | None]] = {
    "-": lambda a: -a,
    "floor": math.floor,
    "ceil": math.ceil,
    "!": lambda a: int(not a),
    "~": lambda a: ~a if isinstance(a, int) else None,
    "next_power_of_2": _next_power_of_2,
    "log2": _log2,
}
_OF_TWO: Mapping[str, Callable[[Quantity, Quantity], Quantity | None]] = {
    "-": operator.sub,
    "/": _quotient,
    "//": _floor_division,
    "cdiv": _ceil_division,
    "%": _remainder,
    "**": _power,
    "<<": _shift_left,
    ">>": _shift_right,
    "&": _bitwise(operator.and_),
    "|": _bitwise(operator.or_),
    "^": _bitwise(operator.xor),
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
