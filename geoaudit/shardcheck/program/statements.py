"""Statements of a function, in one form for every language."""

import msgspec

from geoaudit.shardcheck.program.expressions import Expression, Node


class Assign(Node, frozen=True):
    """``target = value``; also a declaration, and a member or element of a target.

    Attributes:
        target: `Name`, `Member`, `Subscript`, or `Collection` where several are unpacked.
        value: None: declared without a value.
        line: from 1.
        operator: ``*`` of ``*=``; empty for plain assignment. ``++`` is ``+`` with 1.
        type: declared type, as in `Cast`; empty where nothing is declared. It ends in ``&`` where
            the target is another name of the value, which it may change.
        constant: declared ``const``, ``constexpr``, or in capitals at the top of a Python module.
        namespace: of what is assigned at the top of a C++ file, joined by ``::``; of an enumerator
            in a class also the class.
        until: of a macro's value, the line from which on it does not hold, as in `Function`.
    """

    target: Expression
    value: Expression | None
    line: int
    operator: str = ""
    type: str = ""
    constant: bool = False
    namespace: str = ""
    until: int = 0


class Evaluate(Node, frozen=True):
    """An expression for its effect: calls and launches."""

    value: Expression
    line: int


class Branch(Node, frozen=True):
    """``if``; chains nest in `otherwise`. A ``switch`` is a chain of comparisons for equality.

    Preprocessor conditions are branches whose condition is an `Opaque` of the text.
    """

    condition: Expression
    then: tuple["Statement", ...]
    otherwise: tuple["Statement", ...]
    line: int


class Loop(Node, frozen=True):
    """``for``, ``while``, ``do``.

    Attributes:
        initial, step: of a C ``for``.
        condition: of ``while`` and a C ``for``; None: unknown, or a loop over `iterable`.
        target, iterable: of a loop over elements.
        body_first: a ``do``.
    """

    body: tuple["Statement", ...]
    line: int
    condition: Expression | None = None
    initial: tuple["Statement", ...] = ()
    step: tuple["Statement", ...] = ()
    target: Expression | None = None
    iterable: Expression | None = None
    body_first: bool = False


class Return(Node, frozen=True):
    """Leaves the function with a value, or without."""

    value: Expression | None
    line: int


class Stop(Node, frozen=True):
    """Ends a path: ``raise``, ``throw``, ``exit``, ``abort``; ``break``, ``continue``."""

    line: int
    leaves_function: bool = True


Statement = Assign | Evaluate | Branch | Loop | Return | Stop


class Parameter(Node, frozen=True):
    """A parameter of a function, a macro or a template.

    A type ends in ``&`` where the function may change what it is given.
    ``is_pack``: ``Args... args``, ``__VA_ARGS__``, ``*args``; ``is_keywords``: ``**kwargs``.
    """

    name: str
    type: str = ""
    default: Expression | None = None
    is_pack: bool = False
    is_keywords: bool = False


class Function(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """A function, method, macro, lambda, or what stands at the top of a file.

    Attributes:
        name: without namespaces and template arguments; empty for a lambda.
        kind: ``function``, ``method`` (a constructor has its class' name, or ``__init__``),
            ``macro`` (function-like), ``lambda``, ``kernel`` (``__global__``, ``@triton.jit``),
            ``file`` (statements at the top of a file; index 0).
        owner: class it belongs to, without namespaces and template arguments; else empty.
        namespace: C++ namespaces, joined by ``::``.
        parameters, template_parameters: in order; Python's ``self`` is the first parameter.
        body: statements.
        line: of its name.
        enclosing: index of the function it is written in; None: of none but the file.
        decorators: of Python, as expressions.
        is_declaration: a prototype without a body: its defaults count, its body is elsewhere.
        is_hidden: ``static``, or in an anonymous namespace: seen by its own file alone.
        calls: names called or launched in its body, last component each, for an index.
        until: of a macro, the line of its ``#undef`` or of its next definition: it holds for uses
            from its own line to before that one. 0: to the end of the file, and in files that
            include it. Several that hold at a line stand in different branches of ``#if``.
        captures: of a lambda of C++, as written: ``=``, ``&``, ``name``, ``&name``, ``this``.
        is_virtual: a method that is called by the class of its object: ``virtual``, ``override``.
    """

    name: str
    kind: str
    owner: str = ""
    namespace: str = ""
    parameters: tuple[Parameter, ...] = ()
    template_parameters: tuple[Parameter, ...] = ()
    body: tuple[Statement, ...] = ()
    line: int = 0
    enclosing: int | None = None
    decorators: tuple[Expression, ...] = ()
    return_type: str = ""
    is_declaration: bool = False
    is_hidden: bool = False
    calls: tuple[str, ...] = ()
    until: int = 0
    captures: tuple[str, ...] = ()
    is_virtual: bool = False
