"""Functions, classes, macros, and what is read again where the parser lost its way."""

import pytest

from geoaudit.shardcheck.c_family.reading import read_c_file
from geoaudit.shardcheck.program.expressions import (
    Call,
    FunctionValue,
    Launch,
    Member,
    Name,
    Number,
)
from geoaudit.shardcheck.program.file_program import Class, Field, FileProgram, NotAnalysed, Remark
from geoaudit.shardcheck.program.statements import Assign, Evaluate, Parameter, Return
from tests.unit.shardcheck.c_family.programs import named, read


def test_functions() -> None:
    program = read(
        "namespace a { namespace {\n"
        "template <typename T, int N = 2, typename... R>\n"
        "__global__ void k(const T* __restrict__ x, R... rest) { x[0] = 1; }\n"
        "} // namespace\n"
        "static int helper(int n = 3);\n"
        "int S<2>::method(std::vector<int>& v) const { return helper(); }\n"
        "auto late() -> dim3 { return {}; }\n"
        "}"
    )
    kernel = named(program, "k")
    assert (kernel.kind, kernel.namespace, kernel.is_hidden, kernel.body) == (
        "kernel",
        "a",
        True,
        (),
    )
    assert kernel.parameters == (Parameter("x", "T*"), Parameter("rest", "R", None, True))
    assert [one.name for one in kernel.template_parameters] == ["T", "N", "R"]
    helper = named(program, "helper")
    assert (helper.is_declaration, helper.is_hidden) == (True, True)
    assert helper.parameters == (Parameter("n", "int", Number(3)),)
    method = named(program, "method")
    assert (method.kind, method.owner, method.calls) == ("method", "S", ("helper",))
    assert method.parameters == (Parameter("v", "vector<int>&"),)
    assert named(program, "late").return_type == "dim3"


def test_classes() -> None:
    program = read(
        "struct S : public Base<int> {\n"
        "  int a = 3, *b;\n"
        "  static constexpr int kBlock{64};\n"
        "  explicit S(int n) : a(n) { b = nullptr; }\n"
        "  enum { X = 4, Y };\n"
        "  enum class E { Z };\n"
        "};\n"
        "using T = S; typedef int Count;\n"
    )
    assert program.classes == (
        Class(
            name="S",
            bases=("Base<int>",),
            fields=(
                Field("a", "int", Number(3), 2),
                Field("b", "int*", None, 2),
                Field("kBlock", "int", Number(64), 3),
            ),
            line=1,
        ),
        Class(name="T", bases=("S",), line=8),
        Class(name="Count", bases=("int",), line=8),
    )
    constructor = named(program, "S")
    assert constructor.body[0] == Assign(Member(Name("this"), "a"), Name("n"), 4)
    values = [
        (one.target, one.value) for one in program.functions[0].body if isinstance(one, Assign)
    ]
    assert values == [
        (Name("X"), Number(4)),
        (Name("Y"), Number(5)),
        (Name("E::Z"), Number(0)),
    ]


def test_lambdas_follow_the_function_they_are_in() -> None:
    program = read("void f(int n) { auto go = [&, m = n](auto k) { k<<<m, 1>>>(); }; go(kern); }")
    assert [one.kind for one in program.functions] == ["file", "function", "lambda"]
    assert program.functions[1].body[0] == Assign(Name("go"), FunctionValue(2), 1, "", "auto")
    assert program.functions[2].enclosing == 1


def test_macros() -> None:
    program = read(
        "#define BLOCK 128 // measured\n"
        "#define CDIV(a, b) f(a, b)\n"
        "#define LAUNCH(g, ...) do { \\\n"
        "  k<<<g, BLOCK>>>(__VA_ARGS__); } while (0)\n"
        "#define LOCALS(p) const int p##0 = 1; const int p ## 1 = 2;\n"
        "#define DEFINE(T) void run_##T(int n) { k<T><<<n, 1>>>(); }\n"
        "#define EMPTY\n"
    )
    (block,) = program.functions[0].body
    assert block == Assign(Name("BLOCK"), Number(128), 1, constant=True)
    call = Call(Name("f"), (Name("a"), Name("b")), line=2)
    assert named(program, "CDIV").body == (Return(call, 2),)
    assert named(program, "LAUNCH").parameters == (
        Parameter("g"),
        Parameter("__VA_ARGS__", is_pack=True),
    )
    pasted = [one.target for one in named(program, "LOCALS").body if isinstance(one, Assign)]
    assert pasted == [Name("p##0"), Name("p##1")]
    assert named(program, "run_##T").enclosing is not None
    assert program.recognised == (("chevron", 2),)
    assert program.remarks == (Remark(1, "measured"),)


@pytest.mark.parametrize(
    "text",
    [
        "void f(int n)\n#if A\n{ if (n) {\n#else\n{ while (n) {\n#endif\n k<<<n, 1>>>(); } }",
        "#if A\nvoid f(int n) {\n#else\nvoid f(int n, int m) {\n#endif\n k<<<n, 1>>>(); }",
        "INSTANTIATE(int, 8, 1)\nINSTANTIATE(half, 8,, 1)\nvoid f(int n) { k<<<n, 1>>>(); }",
        "void broken( { ( \n}\nvoid f(int n) { k<<<n, 1>>>(); }",
        "struct S { void g( { } void f(int n) { k<<<n, 1>>>(); } };",
    ],
)
def test_what_a_parser_loses_is_read_again(text: str) -> None:
    function = named(read(text), "f")
    assert function.calls == ("k",)
    assert function.parameters[0] == Parameter("n", "int")


def test_what_is_not_understood_is_counted() -> None:
    program = read_c_file("a.cu", "void f() { ( k<<<1, 1>>>(x; }")
    assert program.textual == (("chevron", 1),)
    if not program.recognised:
        assert len(program.not_analysed) == 1


def test_nesting_too_deep_is_counted() -> None:
    text = "void f() { x = " + "(" * 5000 + "1" + ")" * 5000 + "; }\nvoid g() { k<<<1, 1>>>(); }"
    program = read_c_file("a.cu", text)
    assert program.not_analysed == (NotAnalysed(1, "nested too deeply"),)
    assert _launches(program) == 1


def test_calls_that_launch_are_counted_and_declarations_are_not() -> None:
    program = read(
        "cudaError_t cudaLaunchKernel(const void* f, dim3 g);\n"
        "void f() { CHECK(cudaLaunchKernelEx(&config, k, 1)); return cudaLaunchKernel(k, g); }\n"
        "#define RUN(g) hipLaunchKernelGGL(k, g, 1, 0, s)\n"
        "// cudaLaunchKernel(k)\n"
    )
    assert program.textual == (
        ("cudaLaunchKernel", 1),
        ("cudaLaunchKernelEx", 1),
        ("hipLaunchKernelGGL", 1),
    )


def test_remarks() -> None:
    program = read(
        "// measured at\n// 8 heads\nconst int kSplits = 16;\n\n"
        "int f();  // of no interest\n"
        "// geoaudit: allow GA401 tiny\nvoid g() {}\n"
    )
    assert program.remarks == (
        Remark(3, "measured at 8 heads"),
        Remark(7, "geoaudit: allow GA401 tiny"),
    )


def test_lines_of_a_text_inside_another_file() -> None:
    program = read_c_file("a.py", "\nvoid f() { k<<<1, 1>>>(); }", first_line=10)
    (statement,) = named(program, "f").body
    assert isinstance(statement, Evaluate)
    assert isinstance(statement.value, Launch)
    assert (statement.line, statement.value.line) == (11, 11)


def _launches(program: FileProgram) -> int:
    return dict(program.recognised)["chevron"]


def test_embedded_data_is_not_parsed() -> None:
    table = "unsigned char data[] = {" + "0xff, " * 600_000 + "};\n"
    assert read(table + "void f() { k<<<1, 1>>>(); }").recognised == (("chevron", 1),)


def test_a_file_that_is_too_large_is_counted() -> None:
    program = read_c_file("a.cu", "int x; " * 600_000)
    assert [note.reason for note in program.not_analysed] == ["larger than 2 MB"]


def test_macros_that_take_statements_within_each_other() -> None:
    program = read(
        "void f(int n) {\n"
        "  LAUNCH_PAIRS(\n"
        "    n,\n"
        "    LAUNCH_BUFFERS(\n"
        "      n > 1,\n"
        "    if ((n == 1) && (n < 2)) { LAUNCH_ONE(T, n, k<T, 1, 2><<<n, 32>>>(x);); }\n"
        "    else { if constexpr (B) { k<T, 3, 4><<<n, 64>>>(x); } }))\n"
        "}\n"
    )
    assert program.recognised == (("chevron", 2),)


def test_a_function_whose_header_is_a_macro() -> None:
    program = read(
        "#define HEADER \\\n  void f(int n, \\\n  int m)\n"
        'extern "C" {\nHEADER;\n}\n'
        "HEADER\n{\n  dim3 g(n);\n  k<int> <<<g, m>>>(n);\n}\n"
        "ENTRY_POINT\n{\n  k<int> <<<1, 2>>>(3);\n}\n"
    )
    function = named(program, "f")
    assert function.parameters == (Parameter("n", "int"), Parameter("m", "int"))
    assert [one.line for one in function.body] == [9, 10]
    (statement,) = named(program, "ENTRY_POINT").body
    assert isinstance(statement, Evaluate)
    assert isinstance(statement.value, Launch)
    assert (statement.value.grid, statement.line) == (Number(1), 14)
