"""One kernel's source, analysed."""

from typing import TYPE_CHECKING

from geoaudit.source_axes.answers import AxisAnswers, all_unknown, answers_of
from geoaudit.source_axes.machine import Frame, Machine
from geoaudit.source_axes.polynomials import opaque
from geoaudit.source_axes.statements import Statements
from geoaudit.source_axes.syntax import child, declared_name, line_of, named, read_unit, text_of
from geoaudit.source_axes.values import Pointer, UnmodelledError, Value, number

if TYPE_CHECKING:
    from tree_sitter import Node

    from geoaudit.source_axes.syntax import Unit


def split_of_kernel(
    text: str, entry: str, *, headers: tuple[str, ...] = (), block_x: int | None = None
) -> AxisAnswers:
    """What more blocks would cost along the axis that is best for a kernel.

    A reduction is denied where one axis needs none, and affirmed where every axis needs one; it
    is assumed that different parameters are different memory. No error: what is not followed
    cannot be told, with its reason and line.

    Args:
        text: of the CUDA source.
        entry: name of the kernel, a template instance's with its arguments or without.
        headers: texts of the source's own headers.
        block_x: threads of a block along x, where known.

    Example:
        >>> found = split_of_kernel('''
        ... __global__ void add(const float* a, float* b) {
        ...     int i = blockIdx.x * blockDim.x + threadIdx.x;
        ...     b[i] += a[i];
        ... }''', "add")
        >>> found.axis, found.cross_block_reduction.value, found.cross_block_reduction.line
        ('the warps of a block', False, 4)
    """
    axes = axes_of_kernel(text, entry, headers=headers, block_x=block_x)
    return min(axes, key=lambda one: one.ranks)


def axes_of_kernel(
    text: str, entry: str, *, headers: tuple[str, ...] = (), block_x: int | None = None
) -> list[AxisAnswers]:
    """The answers for each axis of a kernel; at least one. Arguments as in `split_of_kernel`."""
    try:
        unit = read_unit((text, *headers))
        machine = _executed(unit, _kernel(unit, entry), block_x)
    except UnmodelledError as error:
        return [all_unknown(error.reason, error.line)]
    except RecursionError:
        return [all_unknown("expressions nested too deeply", None)]
    if not any(one.stored is not None for one in machine.accesses):
        return [all_unknown("no store to what the kernel is given", None)]
    found = answers_of(machine)
    return found or [all_unknown("nothing is indexed by a thread or a loop", None)]


def _kernel(unit: "Unit", entry: str) -> "Node":
    name = entry.partition("<")[0].rpartition("::")[2].split()[-1]
    found = [
        one
        for one in unit.functions.get(name, [])
        if "__global__" in text_of(one).partition("{")[0]
    ]
    if len(found) != 1:
        raise UnmodelledError(f"{len(found)} kernels of the name {name}", 1)
    return found[0]


def _executed(unit: "Unit", kernel: "Node", block_x: int | None) -> Machine:
    machine = Machine(unit=unit, block_x=block_x)
    frame = Frame(function=text_of(kernel.child_by_field_name("name")), names={}, loops=0)
    machine.frames.append(frame)
    statements = Statements(machine)
    declarator: Node | None = child(kernel, "declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")
    if declarator is None or kernel.has_error:
        raise UnmodelledError("a kernel that does not parse", line_of(kernel))
    for parameter in named(child(declarator, "parameters")):
        _take_parameter(machine, parameter)
    for name in _template_values(kernel):
        machine.frame.names[name] = name
        machine.state[name] = Value(index=opaque(name))
    machine.block_x = min(
        (one for one in (block_x, _most_threads(kernel, statements)) if one), default=None
    )
    statements.run(child(kernel, "body"))
    axes = frozenset().union(*(one.index.axes for one in machine.accesses))
    if machine.has_shuffle and axes & {"threadIdx.y", "threadIdx.z"}:
        raise UnmodelledError("lanes of a block of several dimensions", line_of(kernel))
    return machine


def _most_threads(kernel: "Node", statements: Statements) -> int | None:
    """What launch bounds allow a block to have."""
    bounds = [one for one in kernel.named_children if one.type == "launch_bounds"]
    parts = named(bounds[0]) if bounds else []
    return statements.value(parts[0]).index.whole_number if parts else None


def _take_parameter(machine: Machine, parameter: "Node") -> None:
    name = declared_name(parameter.child_by_field_name("declarator"))
    head, star, _ = text_of(parameter).partition("*")
    machine.frame.names[name] = name
    if not star:
        machine.state[name] = Value(index=opaque(name))
        return
    words = [one for one in head.split() if one not in ("const", "volatile", "__restrict__")]
    machine.state[name] = (Pointer(base=name, offset=number(0), unit=" ".join(words)),)
    if "const" in head.split():
        machine.constant.add(name)


def _template_values(kernel: "Node") -> list[str]:
    parent = kernel.parent
    if parent is None or parent.type != "template_declaration":
        return []
    listed = named(child(parent, "parameters"))
    return [
        declared_name(one.child_by_field_name("declarator"))
        for one in listed
        if "parameter_declaration" in one.type and one.child_by_field_name("declarator")
    ]
