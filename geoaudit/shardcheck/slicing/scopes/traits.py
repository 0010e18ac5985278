"""Members of class templates for the arguments that are written: ``Traits<64>::kBlocks``."""

from typing import TYPE_CHECKING

from geoaudit.shardcheck.program import expressions as e
from geoaudit.shardcheck.program.file_program import Class, FileProgram
from geoaudit.shardcheck.program.walking import last_name
from geoaudit.shardcheck.slicing.frames import Frame
from geoaudit.shardcheck.slicing.points import Point
from geoaudit.shardcheck.slicing.quantities import symbol_of
from geoaudit.shardcheck.slicing.values import Quantity, Reference, Value, joined
from geoaudit.shardcheck.symbolic.substitution import substitute
from geoaudit.shardcheck.symbolic.walking import symbols

if TYPE_CHECKING:
    from geoaudit.shardcheck.slicing.slicer import Slicer

MOST_FIELDS_DEEP = 4
_Arguments = dict[str, Quantity]


def member_of_template(
    slicer: "Slicer", node: e.Member, frame: Frame, point: Point
) -> Quantity | None:
    """A number that a class template gives for its arguments; None: nothing in the program says."""
    given = [_number(slicer, slicer.value(one, frame, point)) for one in node.template_arguments]
    best: tuple[int, FileProgram, Class, _Arguments] | None = None
    for file, one in slicer.program.classes.get(last_name(node.value), ()):
        bound = _bound(slicer, file, one, node.template_arguments, given)
        fits = None if bound is None else len(one.template_arguments) * 2 - len(bound)
        if bound is not None and fits is not None and (best is None or fits > best[0]):
            best = fits, file, one, bound
    if best is None:
        return None
    _, file, one, bound = best
    return _field(slicer, file, one, node.name, bound, 0)


def _bound(
    slicer: "Slicer",
    file: FileProgram,
    one: Class,
    nodes: tuple[e.Expression, ...],
    given: list[Quantity | None],
) -> _Arguments | None:
    """The template parameters of a class, or of its specialisation; None: it is for others."""
    if one.template_arguments:
        return _specialised(slicer, file, one, nodes, given)
    if len(nodes) > len(one.template_parameters):
        return None
    found: _Arguments = {}
    for place, parameter in enumerate(one.template_parameters):
        value: Quantity | None = None
        if place < len(given):
            value = given[place]
        elif parameter.default is not None:
            value = _with(_at_top(slicer, file, parameter.default), found)
        if value is not None:
            found[parameter.name] = value
    return found


def _specialised(
    slicer: "Slicer",
    file: FileProgram,
    one: Class,
    nodes: tuple[e.Expression, ...],
    given: list[Quantity | None],
) -> _Arguments | None:
    names = {parameter.name for parameter in one.template_parameters}
    if len(one.template_arguments) != len(nodes):
        return None
    found: _Arguments = {}
    for wanted, node, value in zip(one.template_arguments, nodes, given, strict=True):
        if isinstance(wanted, e.Name) and wanted.text in names:
            if value is not None:
                found[wanted.text] = value
        elif wanted != node and not _is_same(_at_top(slicer, file, wanted), value):
            return None
    return found


def _is_same(wanted: Quantity | None, value: Quantity | None) -> bool:
    return wanted is not None and value is not None and wanted.extent == value.extent


def _field(
    slicer: "Slicer", file: FileProgram, one: Class, name: str, bound: _Arguments, deep: int
) -> Quantity | None:
    for field in one.fields:
        if field.name != name or field.default is None:
            continue
        value = _with(_at_top(slicer, file, field.default), {})
        if value is None:
            return None
        inner = {each.name for each in one.fields} & {s.name for s in symbols(value.extent)}
        known = dict(bound)
        for other in inner - {name} if deep < MOST_FIELDS_DEEP else ():
            found = _field(slicer, file, one, other, bound, deep + 1)
            if found is not None:
                known[other] = found
        return _with(value, known)
    return None


def _with(value: Quantity | None, known: _Arguments) -> Quantity | None:
    """A number with the names in it that are told."""
    if value is None:
        return None
    found = {one: known[one.name] for one in symbols(value.extent) if one.name in known}
    extent = substitute(value.extent, {one: told.extent for one, told in found.items()})
    return Quantity(extent=extent, trail=joined([value.trail, *(t.trail for t in found.values())]))


def _at_top(slicer: "Slicer", file: FileProgram, node: e.Expression) -> Quantity | None:
    top = slicer.program.function_of(file, 0)
    body = top.function.body
    end = Point(block=body, index=len(body))
    return _number(slicer, slicer.value(node, slicer.open_frame(top), end))


def _number(slicer: "Slicer", value: Value) -> Quantity | None:
    """A value as a number; None: it is none, a type for one."""
    if isinstance(value, Reference) and value.kind not in {"class", "module"}:
        return symbol_of(slicer, value)
    return value if isinstance(value, Quantity) else None
