"""Where names hold: macros by line, constants by namespace, members by template arguments."""

import pytest

from geoaudit.shardcheck.program.expressions import Member, Name, Number
from geoaudit.shardcheck.program.file_program import Using
from geoaudit.shardcheck.program.statements import Assign, Parameter, Return
from tests.unit.shardcheck.c_family.programs import named, read


def _ranges(text: str) -> list[tuple[int, int]]:
    """First and last line, exclusive, of every definition of a macro."""
    program = read(text)
    constants = [one for one in program.functions[0].body if isinstance(one, Assign)]
    macros = [one for one in program.functions if one.kind == "macro"]
    return sorted(
        [(one.line, one.until) for one in constants] + [(one.line, one.until) for one in macros]
    )


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("#define N 1\n", [(1, 0)]),
        ("#define N 1\n#undef N\n#define N 2\n#undef N\n", [(1, 2), (3, 4)]),
        ("#define N 1\n#define N 2\n", [(1, 2), (2, 0)]),
        ("#define F(x) x + 1\n\n#  undef F\n#define F(x) x + 2\n", [(1, 3), (4, 0)]),
        ("#define N 1\n#define M 2\n#undef M\n", [(1, 0), (2, 3)]),
        ("#if A\n#define N 1\n#else\n#define N 2\n#endif\n", [(2, 0), (4, 0)]),
        ("#if A\n#define N 1\n#else\n#define N 2\n#endif\n#undef N\n", [(2, 6), (4, 6)]),
        ("#define N 1\n#ifdef A\n#undef N\n#define N 2\n#endif\n", [(1, 0), (4, 0)]),
        ("#ifdef A\n#define N 1\n#undef N\n#define N 2\n#endif\n", [(2, 3), (4, 0)]),
        ("#define N 1\n// #undef N\n", [(1, 0)]),
    ],
)
def test_a_macro_holds_until_it_is_undefined_or_defined_anew(
    text: str, ranges: list[tuple[int, int]]
) -> None:
    assert _ranges(text) == ranges


def test_constants_know_their_namespace() -> None:
    program = read(
        "namespace a { namespace b { constexpr int N = 2; } const int M = 3; }\n"
        "namespace c::d { enum { E = 4 }; struct S { enum { F = 5 }; }; }\n"
        "int g = 6;\n"
    )
    found = [one for one in program.functions[0].body if isinstance(one, Assign)]
    assert [(one.target, one.namespace) for one in found] == [
        (Name("N"), "a::b"),
        (Name("M"), "a"),
        (Name("E"), "c::d"),
        (Name("F"), "c::d::S"),
        (Name("g"), ""),
    ]


def test_using() -> None:
    program = read(
        "using namespace a::b;\nnamespace c = ::a::d;\n"
        "void f() { using a::g; }\nusing T = a::U;\n// using namespace x;\n"
    )
    assert program.usings == (Using("", "a::b"), Using("c", "a::d"), Using("g", "a::g"))


def test_class_templates_and_their_members() -> None:
    program = read(
        "template <typename T, int D = 2> struct Traits { static constexpr int kBlocks = D; };\n"
        "template <> struct Traits<float, 4> { static constexpr int kBlocks = 1; };\n"
        "int f() { return a::Traits<T, 64>::kBlocks; }\n"
        "int g() { return Outer<1>::Inner::kBlocks; }\n"
    )
    general, special = program.classes
    assert general.template_parameters == (
        Parameter("T", "typename"),
        Parameter("D", "int", Number(2)),
    )
    assert (general.template_arguments, special.template_parameters) == ((), ())
    assert special.template_arguments == (Name("float"), Number(4))
    member = Member(Name("a::Traits"), "kBlocks", (Name("T"), Number(64)))
    assert named(program, "f").body == (Return(member, 3),)
    outer = Member(Name("Outer"), "Inner", (Number(1),))
    assert named(program, "g").body == (Return(Member(outer, "kBlocks"), 4),)
