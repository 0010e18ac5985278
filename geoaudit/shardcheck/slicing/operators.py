"""Operators applied to values: to numbers, and to tuples, lists and dictionaries."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.spelling import spelled
from geoaudit.shardcheck.slicing import dictionaries, sequences
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.quantities import as_quantity, dependencies
from geoaudit.shardcheck.slicing.values import (
    Items,
    Quantity,
    Record,
    Value,
    Words,
    computed,
    unknown,
)
from geoaudit.shardcheck.symbolic.extents import Integer
from geoaudit.shardcheck.symbolic.walking import is_fraction

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

MOST_COPIES = 64


def applied(
    slicer: "Slicer",
    operator: str,
    values: Sequence[Value],
    nodes: Sequence[e.Expression],
    frame: Frame,
) -> Value:
    """An operator applied to values, which are written as `nodes`."""
    text = f" {operator} ".join(spelled(node) for node in nodes)
    if operator == "+" and any(isinstance(value, Items) for value in values):
        pairs = zip(values, nodes, strict=True)
        return sequences.concatenated(
            [sequences.unpacked(slicer, value, spelled(node)) for value, node in pairs]
        )
    if operator == "*" and any(isinstance(value, Items) for value in values):
        return _copied(slicer, values, text)
    if operator == "|" and all(dictionaries.is_dictionary(value) for value in values):
        return dictionaries.merged([one for one in values if isinstance(one, Record)])
    if any(isinstance(value, Words) for value in values):
        return unknown(text, dependencies(slicer, values, text))
    quantities = [
        as_quantity(slicer, value, spelled(node)) for value, node in zip(values, nodes, strict=True)
    ]
    if operator == "/" and frame.function.file.language == "c":
        is_real = any(is_written_real(node) for node in nodes)
        is_real = is_real or any(is_fraction(quantity.extent) for quantity in quantities)
        operator = "/" if is_real else "//"
    return computed(operator, quantities)


def is_written_real(node: e.Expression) -> bool:
    """Whether an expression of C is written as one of real numbers."""
    match node:
        case e.Real():
            return True
        case e.Cast(type=kind):
            return kind.split("::")[-1] in {"float", "double", "long double"}
        case e.Operation(operator="+" | "-" | "*" | "/", operands=operands):
            return any(is_written_real(part) for part in operands)
        case _:
            return False


def _copied(slicer: "Slicer", values: Sequence[Value], text: str) -> Value:
    """``(a, b) * 2``."""
    whole = next(value for value in values if isinstance(value, Items))
    counts = [
        value.extent.value
        for value in values
        if isinstance(value, Quantity) and isinstance(value.extent, Integer)
    ]
    if len(counts) != 1 or whole.back or len(whole.values) * counts[0] > MOST_COPIES:
        return unknown(f"how long {text} is", dependencies(slicer, values, text))
    return Items(values=whole.values * counts[0])
