"""Python statements → statements of the program, and the functions and classes among them."""

import ast
from collections.abc import Callable, Sequence

from msgspec import structs

from geoaudit.shardcheck.program.expressions import (
    Expression,
    FunctionValue,
    Launch,
    Name,
    Number,
    Opaque,
    Operation,
)
from geoaudit.shardcheck.program.file_program import Class, Field
from geoaudit.shardcheck.program.statements import (
    Assign,
    Branch,
    Evaluate,
    Function,
    Loop,
    Return,
    Statement,
    Stop,
)
from geoaudit.shardcheck.python.branches import Arm, chained, unless_broken
from geoaudit.shardcheck.python.expressions import read_expression, read_parameters
from geoaudit.shardcheck.python.file_reading import FileReading
from geoaudit.shardcheck.python.imports import read_imports
from geoaudit.shardcheck.python.kernel_names import Definition, function_idiom
from geoaudit.shardcheck.python.operators import OPERATORS
from geoaudit.shardcheck.python.patterns import read_pattern
from geoaudit.shardcheck.python.syntax import annotation_text, dotted


def read_block(reading: FileReading, nodes: Sequence[ast.stmt]) -> tuple[Statement, ...]:
    """Return the statements of a block; definitions and imports in it go to the file."""
    result: list[Statement] = []
    for node in nodes:
        reader = _READERS.get(type(node))
        if reader is not None:
            reader(reading, node, result)
    return tuple(result)


def _value(reading: FileReading, node: ast.expr, result: list[Statement]) -> Expression:
    """Return an expression, after the assignments within it."""
    value = read_expression(reading, node)
    if reading.scope.pending:
        result.extend(reading.take_pending())
    return value


def _assign(reading: FileReading, node: ast.Assign, result: list[Statement]) -> None:
    value = _value(reading, node.value, result)
    for target_node in node.targets:
        target = read_expression(reading, target_node)
        result.append(_assignment(reading, target_node, target, value, "", node.lineno))
        if isinstance(target, Name):
            value = target  # of a = b = f(): f is called once


def _annotated(reading: FileReading, node: ast.AnnAssign, result: list[Statement]) -> None:
    value = None if node.value is None else _value(reading, node.value, result)
    target = read_expression(reading, node.target)
    type_text = annotation_text(node.annotation)
    result.append(_assignment(reading, node.target, target, value, type_text, node.lineno))


def _assignment(
    reading: FileReading,
    node: ast.expr,
    target: Expression,
    value: Expression | None,
    type_text: str,
    line: int,
) -> Assign:
    if isinstance(value, Number | Operation):
        reading.constant_lines.add(line)
    is_constant = reading.scope.index == 0 and isinstance(node, ast.Name) and node.id.isupper()
    return Assign(target, value, line, "", type_text, is_constant)


def _augmented(reading: FileReading, node: ast.AugAssign, result: list[Statement]) -> None:
    value = _value(reading, node.value, result)
    target = read_expression(reading, node.target)
    result.append(Assign(target, value, node.lineno, OPERATORS[type(node.op)]))


def _evaluate(reading: FileReading, node: ast.Expr, result: list[Statement]) -> None:
    if not isinstance(node.value, ast.Constant):
        result.append(Evaluate(_value(reading, node.value, result), node.lineno))
    elif isinstance(node.value.value, str) and "__global__" in node.value.value:
        read_expression(reading, node.value)


def _return(reading: FileReading, node: ast.Return, result: list[Statement]) -> None:
    value = None if node.value is None else _value(reading, node.value, result)
    result.append(Return(value, node.lineno))


def _raise(_: FileReading, node: ast.Raise, result: list[Statement]) -> None:
    result.append(Stop(node.lineno))


def _leave_loop(_: FileReading, node: ast.Break | ast.Continue, result: list[Statement]) -> None:
    result.append(Stop(node.lineno, False))


def _assert(reading: FileReading, node: ast.Assert, result: list[Statement]) -> None:
    result.append(Branch(_value(reading, node.test, result), (), (Stop(node.lineno),), node.lineno))


def _if(reading: FileReading, node: ast.If, result: list[Statement]) -> None:
    arms: list[Arm] = []
    while True:
        before: list[Statement] = []
        condition = _value(reading, node.test, before)
        arms.append((before, condition, read_block(reading, node.body), node.lineno))
        following = node.orelse
        if len(following) != 1 or not isinstance(following[0], ast.If):
            break
        node = following[0]
    result.extend(chained(arms, read_block(reading, node.orelse)))


def _match(reading: FileReading, node: ast.Match, result: list[Statement]) -> None:
    subject = _value(reading, node.subject, result)
    arms: list[Arm] = []
    otherwise: tuple[Statement, ...] = ()
    for case in node.cases:
        condition, bound = read_pattern(reading, case.pattern, subject)
        if case.guard is not None:
            guard = read_expression(reading, case.guard)
            condition = guard if condition is None else Operation("&&", (condition, guard))
        body = (*bound, *read_block(reading, case.body))
        if condition is None:
            otherwise = body
            break
        arms.append(([], condition, body, case.pattern.lineno))
    result.extend(chained(arms, otherwise))


def _for(reading: FileReading, node: ast.For | ast.AsyncFor, result: list[Statement]) -> None:
    iterable = _value(reading, node.iter, result)
    target = read_expression(reading, node.target)
    body = read_block(reading, node.body)
    result.append(Loop(body, node.lineno, target=target, iterable=iterable))
    result.extend(unless_broken(node, read_block(reading, node.orelse)))


def _while(reading: FileReading, node: ast.While, result: list[Statement]) -> None:
    condition = read_expression(reading, node.test)
    before = reading.take_pending()
    result.extend(before)
    body = read_block(reading, node.body)
    result.append(Loop(body, node.lineno, condition=condition, step=tuple(before)))
    result.extend(unless_broken(node, read_block(reading, node.orelse)))


def _nonlocal(reading: FileReading, node: ast.Nonlocal, result: list[Statement]) -> None:
    result.append(Evaluate(Opaque("nonlocal", tuple(map(reading.name, node.names))), node.lineno))


def _with(reading: FileReading, node: ast.With | ast.AsyncWith, result: list[Statement]) -> None:
    for item in node.items:
        value = _value(reading, item.context_expr, result)
        line = item.context_expr.lineno
        if item.optional_vars is None or isinstance(value, Launch):
            result.append(Evaluate(value, line))
        else:
            target = read_expression(reading, item.optional_vars)
            result.append(Assign(target, value, line))
    result.extend(read_block(reading, node.body))


def _try(reading: FileReading, node: ast.Try, result: list[Statement]) -> None:
    """Body, then handlers that may run; where the body leaves, they are what runs otherwise."""
    body = read_block(reading, [*node.body, *node.orelse])
    handlers: tuple[Statement, ...] = ()
    for handler in reversed(node.handlers):
        caught = "except" if handler.type is None else f"except {annotation_text(handler.type)}"
        block = read_block(reading, handler.body)
        handlers = (Branch(Opaque(caught[:80]), block, handlers, handler.lineno),)
    if body and handlers and isinstance(body[-1], Return | Stop):
        result.append(Branch(Opaque("try"), body, handlers, node.lineno))
    else:
        result.extend((*body, *handlers))
    result.extend(read_block(reading, node.finalbody))


def _import(reading: FileReading, node: ast.Import | ast.ImportFrom, _: list[Statement]) -> None:
    reading.imports.extend(read_imports(node, reading.path))


def _function(reading: FileReading, node: Definition, result: list[Statement]) -> None:
    index = read_function(reading, node, "")
    name = reading.name(node.name)
    for decorator in reading.functions[index].decorators:
        if isinstance(decorator, Launch):
            result.append(Evaluate(structs.replace(decorator, kernel=name), node.lineno))
    if reading.scope.index > 0:
        result.append(Assign(name, FunctionValue(index), node.lineno))


def read_function(reading: FileReading, node: Definition, owner: str) -> int:
    """Read a function or a method; return its index. Device code is not read."""
    decorators = tuple([read_expression(reading, item) for item in node.decorator_list])
    parameters = read_parameters(reading, node.args)
    modules = {} if reading.names is None else reading.names.modules
    idiom = function_idiom(node, modules)
    scope = reading.open(node.name)
    body: tuple[Statement, ...] = ()
    if idiom in {"", "tilelang"}:
        body = read_block(reading, node.body)
    function = Function(
        name=node.name,
        kind="kernel" if idiom else "method" if owner else "function",
        owner=owner,
        parameters=parameters,
        body=body,
        line=node.lineno,
        enclosing=scope.enclosing,
        decorators=decorators,
        return_type=annotation_text(node.returns),
        calls=tuple(sorted(scope.calls)),
    )
    return reading.close(function)


def _class(reading: FileReading, node: ast.ClassDef, _: list[Statement]) -> None:
    fields: list[Field] = []
    _read_members(reading, node, node.body, fields)
    bases = [annotation_text(base).partition("[")[0] for base in node.bases]
    reading.classes.append(
        Class(
            name=node.name,
            bases=tuple(base for base in bases if base),
            fields=tuple(fields),
            line=node.lineno,
        )
    )


def _read_members(
    reading: FileReading, owner: ast.ClassDef, nodes: Sequence[ast.stmt], fields: list[Field]
) -> None:
    for node in nodes:
        if isinstance(node, Definition):
            read_function(reading, node, owner.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            fields.extend(_fields(reading, node))
        elif isinstance(node, ast.If | ast.Try | ast.With):
            _read_members(reading, owner, node.body, fields)
            _read_members(reading, owner, getattr(node, "orelse", ()), fields)
            for handler in getattr(node, "handlers", ()):
                _read_members(reading, owner, handler.body, fields)
        elif isinstance(node, ast.ClassDef | ast.Import | ast.ImportFrom):
            read_block(reading, [node])


def _fields(reading: FileReading, node: ast.Assign | ast.AnnAssign) -> list[Field]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    annotation = annotation_text(node.annotation) if isinstance(node, ast.AnnAssign) else ""
    value = None if node.value is None else read_expression(reading, node.value)
    reading.take_pending()
    if isinstance(value, Number | Operation):
        reading.constant_lines.add(node.lineno)
    names = [dotted(target) for target in targets]
    return [Field(name, annotation, value, node.lineno) for name in names if name]


_READERS: dict[type[ast.stmt], Callable[..., None]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Expr: _evaluate,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Break: _leave_loop,
    ast.Continue: _leave_loop,
    ast.Assert: _assert,
    ast.If: _if,
    ast.Match: _match,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.Nonlocal: _nonlocal,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
}
