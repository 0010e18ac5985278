"""What holds: conditions, ``and``, ``or``, ``not``, and what is None."""

from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.quantities import as_quantity
from geoaudit.shardcheck.slicing.values import (
    Closure,
    Either,
    Items,
    Nothing,
    Quantity,
    Record,
    Reference,
    Shaped,
    Value,
    Words,
    computed,
    either,
    either_number,
    number,
    unknown,
)
from geoaudit.shardcheck.symbolic.extents import Arithmetic, Integer

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

_CONNECTIVES = frozenset({"&&", "||", "!"})
_TESTS = frozenset({"!", "<", "<=", ">", ">=", "==", "!=", "in", "is"})


def condition(slicer: "Slicer", node: e.Expression, frame: Frame, point: Point) -> Quantity:
    """Whether an expression holds: not 0 where it does."""
    if isinstance(node, e.Operation) and node.operator in _CONNECTIVES:
        parts = [condition(slicer, one, frame, point) for one in node.operands]
        return computed(node.operator, parts)
    return _truth(slicer, slicer.value(node, frame, point), spelled(node), frame)


def _truth(slicer: "Slicer", value: Value, text: str, frame: Frame) -> Quantity:
    """Whether a value counts as true."""
    if frame.function.file.language == "c":
        return as_quantity(slicer, value, text)
    match value:
        case Nothing():
            return number(0)
        case Either(options=options):
            return either_number(
                [(guard, _truth(slicer, one, text, frame)) for guard, one in options]
            )
        case Items(values=values):
            return number(int(bool(values)))
        case Words(text=words):
            return number(int(bool(words)))
        case Closure():
            return number(1)
        case Record(type=type, rest=None) if type:
            return number(1)
        case Record(type="", members=members, rest=None):
            return number(int(bool(members)))
        case _:
            return as_quantity(slicer, value, text)


def connected(slicer: "Slicer", node: e.Operation, frame: Frame, point: Point) -> Value:
    """``and``, ``or`` and ``not``: those of Python give one of their operands."""
    if node.operator == "!" or frame.function.file.language == "c" or _is_test(node):
        return condition(slicer, node, frame, point)
    first, second = node.operands
    value = slicer.value(first, frame, point)
    holds = _truth(slicer, value, spelled(first), frame)
    if isinstance(holds.extent, Integer) and bool(holds.extent.value) == (node.operator == "||"):
        return value
    other = slicer.value(second, frame, point)
    pair = (value, other) if node.operator == "||" else (other, value)
    return either([(holds, pair[0]), (None, pair[1])])


def _is_test(node: e.Expression) -> bool:
    """Whether an expression is true or false, and nothing else."""
    match node:
        case e.Operation(operator="&&" | "||", operands=operands):
            return all(_is_test(one) for one in operands)
        case e.Operation(operator=operator):
            return operator in _TESTS
        case e.Name(text="True" | "False"):
            return True
        case _:
            return False


def identical(slicer: "Slicer", node: e.Operation, frame: Frame, point: Point) -> Value:
    """``a is b``, and ``a == None``."""
    values = [slicer.value(one, frame, point) for one in node.operands]
    others = [value for value in values if not isinstance(value, Nothing)]
    text = f"whether {spelled(node)}"
    if len(others) == len(values):
        return _untold(slicer, text, node, values)
    same = _is_nothing(slicer, others[0], text) if others else number(1)
    return computed("!", [same]) if node.operator == "!=" else same


def _is_nothing(slicer: "Slicer", value: Value, text: str) -> Quantity:
    match value:
        case Nothing():
            return number(1)
        case Either(options=options):
            return either_number(
                [(guard, _is_nothing(slicer, one, text)) for guard, one in options]
            )
        case Quantity(extent=Integer() | Arithmetic()):
            return number(0)
        case Items() | Record() | Shaped() | Closure() | Words():
            return number(0)
        case Reference(kind="class" | "module"):
            return number(0)
        case _:
            return unknown(text, [as_quantity(slicer, value, text)])


def contained(slicer: "Slicer", node: e.Operation, frame: Frame, point: Point) -> Value:
    """``a in b``."""
    values = [
        slicer.value(part, frame, point)
        for part in node.operands
        if not isinstance(part, e.Collection | e.Text)
    ]
    return _untold(slicer, f"whether {spelled(node)}", node, values)


def _untold(slicer: "Slicer", text: str, node: e.Operation, values: list[Value]) -> Quantity:
    known = [one for one in values if not isinstance(one, Nothing | Words)]
    return unknown(text, [as_quantity(slicer, one, spelled(node)) for one in known])
