"""Python expressions → expressions of the program."""

import ast
from collections.abc import Callable, Sequence

from geoaudit.shardcheck.program.expressions import (
    Call,
    Cast,
    Choice,
    Collection,
    Expression,
    FunctionValue,
    Launch,
    Member,
    Number,
    Opaque,
    Operation,
    Slice,
    Starred,
    Subscript,
)
from geoaudit.shardcheck.program.statements import Assign, Function, Parameter, Return
from geoaudit.shardcheck.python.bracket_launches import find_kept_launch
from geoaudit.shardcheck.python.file_reading import FileReading
from geoaudit.shardcheck.python.launch_syntax import Doubtful, LaunchSyntax, Place, end_of
from geoaudit.shardcheck.python.launches import find_launch
from geoaudit.shardcheck.python.literals import key_text, read_constant, read_formatted
from geoaudit.shardcheck.python.operators import OPERATORS, joined
from geoaudit.shardcheck.python.syntax import annotation_text, last_name

_DEEPEST = 80  # nested expressions; deeper ones could not be encoded
_LONGEST = 1000  # elements of a literal
_CASTS = frozenset({"int", "float", "bool"})


def read_expression(reading: FileReading, node: ast.expr) -> Expression:
    """Return an expression; what is not modelled is `Opaque`."""
    if reading.depth >= _DEEPEST:
        reading.leave_out(node.lineno, f"expression nested deeper than {_DEEPEST}")
        return Opaque(reading.source.excerpt(node))
    reading.depth += 1
    value = _READERS.get(type(node), _opaque)(reading, node)
    reading.depth -= 1
    return value


def read_parameters(reading: FileReading, node: ast.arguments) -> tuple[Parameter, ...]:
    """Return the parameters of a function in order, with their defaults."""
    positional = [*node.posonlyargs, *node.args]
    missing = len(positional) - len(node.defaults)
    defaults: list[ast.expr | None] = [None] * missing + list(node.defaults)
    result = [_parameter(reading, a, d) for a, d in zip(positional, defaults, strict=True)]
    if node.vararg is not None:
        result.append(Parameter(node.vararg.arg, is_pack=True))
    for argument, default in zip(node.kwonlyargs, node.kw_defaults, strict=True):
        result.append(_parameter(reading, argument, default))
    if node.kwarg is not None:
        result.append(Parameter(node.kwarg.arg, is_keywords=True))
    return tuple(result)


def _parameter(reading: FileReading, node: ast.arg, default: ast.expr | None) -> Parameter:
    value = None if default is None else read_expression(reading, default)
    if isinstance(value, Number):
        reading.constant_lines.add(node.lineno)
    return Parameter(node.arg, annotation_text(node.annotation), value)


def _all(reading: FileReading, nodes: Sequence[ast.expr]) -> tuple[Expression, ...]:
    return tuple([read_expression(reading, node) for node in nodes])


def _keywords(
    reading: FileReading, nodes: Sequence[ast.keyword]
) -> tuple[tuple[str, Expression], ...]:
    return tuple([(node.arg or "**", read_expression(reading, node.value)) for node in nodes])


def _opaque(reading: FileReading, node: ast.expr) -> Expression:
    parts = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
    return Opaque(reading.source.excerpt(node), _all(reading, parts))


def _name(reading: FileReading, node: ast.Name) -> Expression:
    return reading.name(node.id)


def _attribute(reading: FileReading, node: ast.Attribute) -> Expression:
    return Member(read_expression(reading, node.value), node.attr)


def _subscript(reading: FileReading, node: ast.Subscript) -> Expression:
    if reading.names is not None:
        kept = find_kept_launch(node, reading.names)
        if kept is not None:
            place = reading.source.bracket_after(*end_of(node.value))
            return _launch_at(reading, kept, place)
    index = node.slice
    indices = index.elts if isinstance(index, ast.Tuple) else [index]
    return Subscript(read_expression(reading, node.value), _all(reading, indices))


def _slice(reading: FileReading, node: ast.Slice) -> Expression:
    lower, upper, step = (
        None if part is None else read_expression(reading, part)
        for part in (node.lower, node.upper, node.step)
    )
    return Slice(lower, upper, step)


def _binary(reading: FileReading, node: ast.BinOp) -> Expression:
    left, right = read_expression(reading, node.left), read_expression(reading, node.right)
    return Operation(OPERATORS[type(node.op)], (left, right))


def _unary(reading: FileReading, node: ast.UnaryOp) -> Expression:
    value = read_expression(reading, node.operand)
    if isinstance(node.op, ast.UAdd):
        return value
    if isinstance(node.op, ast.USub):
        return Number(-value.value) if isinstance(value, Number) else Operation("-", (value,))
    return Operation("!" if isinstance(node.op, ast.Not) else "~", (value,))


def _boolean(reading: FileReading, node: ast.BoolOp) -> Expression:
    return joined(OPERATORS[type(node.op)], _all(reading, node.values))


def _compare(reading: FileReading, node: ast.Compare) -> Expression:
    left = read_expression(reading, node.left)
    parts: list[Expression] = []
    for operator, comparator in zip(node.ops, node.comparators, strict=True):
        right = read_expression(reading, comparator)
        part = Operation(OPERATORS[type(operator)], (left, right))
        is_negated = isinstance(operator, ast.IsNot | ast.NotIn)
        parts.append(Operation("!", (part,)) if is_negated else part)
        left = right
    return joined("&&", parts)


def _choice(reading: FileReading, node: ast.IfExp) -> Expression:
    condition, then = read_expression(reading, node.test), read_expression(reading, node.body)
    return Choice(condition, then, read_expression(reading, node.orelse))


def _call(reading: FileReading, node: ast.Call) -> Expression:
    if reading.names is not None:
        found = find_launch(node, reading.names)
        if found is not None:
            launch = _launch(reading, node, found)
            if launch is not None:
                return launch
    function = node.func
    name = last_name(function)
    if name:
        reading.scope.calls.add(name)
    if name in _CASTS and isinstance(function, ast.Name) and len(node.args) == 1:
        return Cast(name, read_expression(reading, node.args[0]))
    return Call(
        read_expression(reading, function),
        _all(reading, node.args),
        _keywords(reading, node.keywords) if node.keywords else (),
        (),
        function.end_lineno or node.lineno,
    )


def _launch(reading: FileReading, node: ast.Call, found: LaunchSyntax | Doubtful) -> Launch | None:
    source, place = reading.source, end_of(node.func)
    if isinstance(node.func, ast.Subscript):
        place = source.bracket_after(*end_of(node.func.value))
    if isinstance(found, Doubtful):
        reading.doubtful[source.offset(*place)] = found.reason
        return None
    return _launch_at(reading, found, found.place or place)


def _launch_at(reading: FileReading, found: LaunchSyntax, place: Place) -> Launch:
    offset = reading.source.offset(*place)
    reading.launches[offset] = found.idiom
    kernel: Expression = reading.name(reading.scope.name)
    if found.kernel is not None:
        kernel = read_expression(reading, found.kernel)
        reading.scope.calls.add(last_name(found.kernel))
    return Launch(
        found.idiom,
        kernel,
        read_expression(reading, found.grid),
        None if found.block is None else read_expression(reading, found.block),
        _all(reading, found.arguments),
        _keywords(reading, found.keywords),
        place[0],
        offset,
    )


def _collection(reading: FileReading, node: ast.Tuple | ast.List | ast.Set) -> Expression:
    if len(node.elts) > _LONGEST:
        return Opaque(reading.source.excerpt(node))
    return Collection(_all(reading, node.elts))


def _dictionary(reading: FileReading, node: ast.Dict) -> Expression:
    if len(node.values) > _LONGEST:
        return Opaque(reading.source.excerpt(node))
    keys = ["**" if key is None else key_text(reading, key) for key in node.keys]
    values = _all(reading, node.values)
    return Collection((), tuple(zip(keys, values, strict=True)))


def _starred(reading: FileReading, node: ast.Starred) -> Expression:
    return Starred(read_expression(reading, node.value))


def _lambda(reading: FileReading, node: ast.Lambda) -> Expression:
    parameters = read_parameters(reading, node.args)
    scope = reading.open("")
    value = read_expression(reading, node.body)
    function = Function(
        name="",
        kind="lambda",
        parameters=parameters,
        body=(*reading.take_pending(), Return(value, node.body.lineno)),
        line=node.lineno,
        enclosing=scope.enclosing,
        calls=tuple(sorted(scope.calls)),
    )
    return FunctionValue(reading.close(function))


def _walrus(reading: FileReading, node: ast.NamedExpr) -> Expression:
    target = reading.name(node.target.id)
    value = read_expression(reading, node.value)
    reading.scope.pending.append(Assign(target, value, node.lineno))
    return target


def _awaited(reading: FileReading, node: ast.Await) -> Expression:
    return read_expression(reading, node.value)


def _comprehension(
    reading: FileReading, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
) -> Expression:
    """Return its element or key and value, then ``for`` collections: target, iterable, filters."""
    elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    loops = [
        Collection(_all(reading, [item.target, item.iter, *item.ifs]), (), "for")
        for item in node.generators
    ]
    return Opaque(reading.source.excerpt(node), (*_all(reading, elements), *loops))


_READERS: dict[type[ast.expr], Callable[..., Expression]] = {
    ast.Constant: read_constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: _choice,
    ast.Call: _call,
    ast.Tuple: _collection,
    ast.List: _collection,
    ast.Set: _collection,
    ast.Dict: _dictionary,
    ast.Starred: _starred,
    ast.Lambda: _lambda,
    ast.NamedExpr: _walrus,
    ast.Await: _awaited,
    ast.JoinedStr: read_formatted,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
}
