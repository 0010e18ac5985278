"""Expressions of a source file, in one form for every language.

Trees are immutable and small, and travel between processes and into a cache as MessagePack.
"""

import msgspec


class Node(
    msgspec.Struct,
    frozen=True,
    kw_only=False,
    array_like=True,
    tag=True,
    tag_field="node",
    gc=False,
):
    """Base of all nodes: compared by value."""


class Number(Node, frozen=True):
    """An integer."""

    value: int


class Real(Node, frozen=True):
    """A number with a fraction."""

    value: float


class Text(Node, frozen=True):
    """A string literal."""

    value: str


class Name(Node, frozen=True):
    """A variable, constant, function, type or macro, as written: ``n_head``, ``std::max``."""

    text: str


class Member(Node, frozen=True):
    """``value.name``, ``value->name`` and ``type::name`` of a class template.

    ``template_arguments`` are the template's: 64 of ``Traits<64>::name``, whose value is the name
    ``Traits``.
    """

    value: "Expression"
    name: str
    template_arguments: tuple["Expression", ...] = ()


class Subscript(Node, frozen=True):
    """``value[index]``; several indices of one bracket in order."""

    value: "Expression"
    indices: tuple["Expression", ...]


class Slice(Node, frozen=True):
    """``lower:upper:step`` within a subscript."""

    lower: "Expression | None"
    upper: "Expression | None"
    step: "Expression | None" = None


class Operation(Node, frozen=True):
    """An operator and its operands, unary or binary.

    Operators are spelled as in C, in both languages: ``+ - * / % << >> & | ^ ~ ! && || < <= > >= ==
    !=``; ``//`` is Python's floor division and ``/`` in Python the real one; ``**`` is a power;
    ``in`` and ``is`` as in Python. Unary minus has one operand. ``&`` with one operand is its
    address; ``*x`` of a pointer is its operand itself.
    """

    operator: str
    operands: tuple["Expression", ...]


class Choice(Node, frozen=True):
    """``condition ? then : otherwise``, ``then if condition else otherwise``."""

    condition: "Expression"
    then: "Expression"
    otherwise: "Expression"


class Cast(Node, frozen=True):
    """A value made another type: ``(unsigned) x``, ``static_cast<int>(x)``, ``int(x)``.

    ``type`` is as written without ``const``, ``&`` and the namespace ``std``.
    """

    type: str
    value: "Expression"


class Call(Node, frozen=True):
    """A call. ``f<a, b>(x, y, key=z)``: template arguments that are types are `Name`.

    ``line`` is where the argument list begins, from 1.
    """

    function: "Expression"
    arguments: tuple["Expression", ...]
    keywords: tuple[tuple[str, "Expression"], ...] = ()
    template_arguments: tuple["Expression", ...] = ()
    line: int = 0


class Collection(Node, frozen=True):
    """Values side by side: a tuple, a list, braces, a dictionary with constant keys.

    ``type`` is the one it is made as, where written (``dim3{a, b}``), else empty. ``keywords``
    are designated initialisers (``.gridDim = g``) and dictionary keys, as text; ``**`` is a
    dictionary that is spread.
    """

    items: tuple["Expression", ...]
    keywords: tuple[tuple[str, "Expression"], ...] = ()
    type: str = ""


class Starred(Node, frozen=True):
    """``*value`` among items or arguments; a pack that is expanded."""

    value: "Expression"


class FunctionValue(Node, frozen=True):
    """A lambda or a function defined inside another: index in the file's functions."""

    function: int


class Launch(Node, frozen=True):
    """A kernel launch that the language spells as such.

    Attributes:
        idiom: ``chevron`` (``k<<<grid, block>>>(...)``), or of Python ``triton``
            (``k[grid](...)``), ``numba``, ``cupy``, ``tilelang``, ``cute``, ``pallas``,
            ``jax-triton``, ``cutile`` (``ct.launch``), ``cuda-core`` (``launch``); ``manifest``.
        kernel: what is launched, with its template arguments dropped.
        grid, block: as written; block None where the language has none.
        arguments, keywords: of the kernel.
        line: of ``<<<``, or of the bracket or parenthesis that holds the grid.
        offset: byte offset of the same, unique in a file.
    """

    idiom: str
    kernel: "Expression"
    grid: "Expression"
    block: "Expression | None"
    arguments: tuple["Expression", ...]
    keywords: tuple[tuple[str, "Expression"], ...] = ()
    line: int = 0
    offset: int = 0


class Opaque(Node, frozen=True):
    """What is not modelled: its text, shortened to 80 characters, and the expressions it reads.

    Of a Python comprehension these are the element (of a dictionary key and value), then for each
    loop a `Collection` of type ``for``: target, iterable, conditions.
    """

    text: str
    parts: tuple["Expression", ...] = ()


Expression = (
    Number
    | Real
    | Text
    | Name
    | Member
    | Subscript
    | Slice
    | Operation
    | Choice
    | Cast
    | Call
    | Collection
    | Starred
    | FunctionValue
    | Launch
    | Opaque
)
