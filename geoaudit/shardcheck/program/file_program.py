"""What one source file says: its functions, classes, imports, and what was not understood."""

import msgspec

from geoaudit.shardcheck.program.expressions import Expression
from geoaudit.shardcheck.program.statements import Function, Parameter


class Field(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A field of a class: name, declared type, initial value."""

    name: str
    type: str = ""
    default: Expression | None = None
    line: int = 0


class Class(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """A class or structure; its methods are functions of the file with it as owner.

    ``aliases``: ``typedef`` and ``using`` names that stand for another type have no fields and one
    base. ``template_parameters`` are those of a class template; ``template_arguments`` are what a
    specialisation is for: ``64`` of ``struct Traits<64>``.
    """

    name: str
    bases: tuple[str, ...] = ()
    fields: tuple[Field, ...] = ()
    line: int = 0
    namespace: str = ""
    template_parameters: tuple[Parameter, ...] = ()
    template_arguments: tuple[Expression, ...] = ()


class Import(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """``local`` stands for ``name`` of ``module``; name empty: for the module itself.

    Of C, an include: ``module`` is the path as written and both others are empty.
    """

    local: str
    module: str
    name: str = ""


class Using(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Of C++: ``local`` stands for ``name``, which has all its namespaces as written.

    ``using a::f`` and ``namespace b = a``, wherever in the file; of ``using namespace a`` the local
    name is empty: all names of a are seen.
    """

    local: str
    name: str


class Remark(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A comment that is kept: above or beside an integer constant, or a suppression.

    ``line`` is the line it speaks of: its own where code stands on it, else the next with code.
    """

    line: int
    text: str


class NotAnalysed(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What was seen and not understood: line and a reason in words."""

    line: int
    reason: str


class FileProgram(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """A parsed file.

    Attributes:
        path: relative to the root of the check, ``/`` between parts.
        language: ``c``, ``python`` or ``manifest``.
        functions: the first is the file itself (kind ``file``); nested ones follow their
            enclosing function.
        textual: launches that a text search finds outside of comments and strings, by idiom:
            ``chevron``, ``cudaLaunchKernelEx``, ``hipLaunchKernelGGL``, ...
        recognised: those of them that are in the functions above, by the same idioms.
        not_analysed: the others, and all else that was seen and not understood.
        embedded: CUDA sources in Python strings, as programs of their own; lines are those of the
            Python file.
    """

    path: str
    language: str
    functions: tuple[Function, ...]
    classes: tuple[Class, ...] = ()
    imports: tuple[Import, ...] = ()
    remarks: tuple[Remark, ...] = ()
    textual: tuple[tuple[str, int], ...] = ()
    recognised: tuple[tuple[str, int], ...] = ()
    not_analysed: tuple[NotAnalysed, ...] = ()
    embedded: tuple["FileProgram", ...] = ()
    usings: tuple[Using, ...] = ()
