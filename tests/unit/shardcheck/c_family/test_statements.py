"""Statements and expressions of C++."""

import pytest

from geoaudit.shardcheck.program.expressions import (
    Call,
    Cast,
    Choice,
    Collection,
    Expression,
    Launch,
    Member,
    Name,
    Number,
    Opaque,
    Operation,
    Real,
    Subscript,
    Text,
)
from geoaudit.shardcheck.program.statements import Assign, Branch, Evaluate, Loop, Return, Stop
from tests.unit.shardcheck.c_family.programs import body

N, ONE, TWO = Name("n"), Number(1), Number(2)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0xFFull", Number(255)),
        ("1'000", Number(1000)),
        ("017", Number(15)),
        ("0b101", Number(5)),
        ("18446744073709551616", Opaque("18446744073709551616")),
        ("1.5f", Real(1.5)),
        ("'a'", Number(97)),
        ("true", ONE),
        ('"a" "b"', Text("ab")),
        ("(unsigned) n", Cast("unsigned", N)),
        ("static_cast<int64_t>(n)", Cast("int64_t", N)),
        ("int(n)", Cast("int", N)),
        ("(size_t)(n)", Cast("size_t", N)),
        ("dim3(n, 1)", Collection((N, ONE), type="dim3")),
        ("dim3{n, 1}", Collection((N, ONE), type="dim3")),
        ("-n", Operation("-", (N,))),
        ("&n", Operation("&", (N,))),
        ("n and 1", Operation("&&", (N, ONE))),
        ("n ? 1 : 2", Choice(N, ONE, TWO)),
        ("p->ne[2]", Subscript(Member(Name("p"), "ne"), (TWO,))),
        ("std::max(n, 1)", Call(Name("std::max"), (N, ONE), line=2)),
        ("x.size(1)", Call(Member(Name("x"), "size"), (ONE,), line=2)),
        ("f<int, 2>(n)", Call(Name("f"), (N,), (), (Name("int"), TWO), 2)),
        ("a::T<2>::get(n)", Call(Member(Name("a::T"), "get", (TWO,)), (N,), line=2)),
        ("sizeof(float)", Number(4)),
        ("sizeof(T)", Opaque("sizeof(T)")),
    ],
)
def test_expressions(text: str, value: Expression) -> None:
    assert body(f"x = {text};") == (Assign(Name("x"), value, 2),)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("dim3 x(n, 1)", "dim3", Collection((N, ONE), type="dim3")),
        ("dim3 x(n * h)", "dim3", Collection((Operation("*", (N, Name("h"))),), type="dim3")),
        (
            "dim3 x(f(n), 1)",
            "dim3",
            Collection((Call(Name("f"), (N,), line=2), ONE), type="dim3"),
        ),
        ("dim3 x{n, 1}", "dim3", Collection((N, ONE), type="dim3")),
        ("dim3 x = {n, 1}", "dim3", Collection((N, ONE), type="dim3")),
        ("dim3 x", "dim3", None),
        ("S x = {.a = n}", "S", Collection((), (("a", N),), "S")),
        ("int x(n)", "int", N),
        ("int x{n}", "int", N),
        ("std::vector<int> x(n)", "vector<int>", Collection((N,), type="vector<int>")),
        ("const auto& x = n", "auto", N),
        ("int x[2] = {n, 1}", "int[]", Collection((N, ONE), type="int[]")),
    ],
)
def test_declarations(text: str, kind: str, value: Expression | None) -> None:
    constant = text.startswith("const")
    assert body(text + ";") == (Assign(Name("x"), value, 2, "", kind, constant),)


def test_several_targets() -> None:
    both = Collection((Name("a"), Name("b")))
    call = Call(Name("g"), (), line=2)
    assert body("auto [a, b] = g();") == (Assign(both, call, 2, "", "auto"),)
    assert body("std::tie(a, b) = g();") == (Assign(both, call, 2),)


def test_assignments_inside_expressions_come_first() -> None:
    assert body("a = b = n;") == (Assign(Name("b"), N, 2), Assign(Name("a"), Name("b"), 2))
    assert body("g.x /= 2, ++n;") == (
        Assign(Member(Name("g"), "x"), TWO, 2, "/"),
        Assign(N, ONE, 2, "+"),
    )


def test_branches_and_loops() -> None:
    assert body("if (n) return 1; else if (m) exit(1); else throw 2;") == (
        Branch(N, (Return(ONE, 2),), (Branch(Name("m"), (Stop(2),), (Stop(2),), 2),), 2),
    )
    assert body("for (int i = 0; i < n; ++i) g(i);") == (
        Loop(
            (Evaluate(Call(Name("g"), (Name("i"),), line=2), 2),),
            2,
            Operation("<", (Name("i"), N)),
            (Assign(Name("i"), Number(0), 2, "", "int"),),
            (Assign(Name("i"), ONE, 2, "+"),),
        ),
    )
    assert body("#if A\nx = 1;\n#else\nx = 2;\n#endif") == (
        Branch(Opaque("A"), (Assign(Name("x"), ONE, 3),), (Assign(Name("x"), TWO, 5),), 2),
    )


def test_a_switch_is_a_chain_and_cases_fall_through() -> None:
    first, second = (Operation("==", (N, value)) for value in (ONE, TWO))
    assert body("switch (n) { case 1: x = 1; case 2: x = 2; break; default: x = n; }") == (
        Branch(
            Operation("||", (first, second)),
            (Branch(first, (Assign(Name("x"), ONE, 2),), (), 2), Assign(Name("x"), TWO, 2)),
            (Assign(Name("x"), N, 2),),
            2,
        ),
    )
    (loop,) = body("switch (n) { case 1: if (m) break; x = 1; }")
    assert isinstance(loop, Loop)
    assert loop.body_first
    assert loop.condition == Number(0)


@pytest.mark.parametrize(
    ("text", "kernel"),
    [
        ("k", Name("k")),
        ("k<T, 2>", Name("k")),
        ("(*p)", Name("p")),
        ("t[1]", Subscript(Name("t"), (ONE,))),
        ("o.k", Member(Name("o"), "k")),
        ("a::k", Name("a::k")),
    ],
)
def test_launches(text: str, kernel: Expression) -> None:
    (statement,) = body(f"{text}<<<n, n >> 2, 0, s>>>(1);")
    assert isinstance(statement, Evaluate)
    launch = statement.value
    assert isinstance(launch, Launch)
    assert (launch.kernel, launch.grid, launch.block) == (kernel, N, Operation(">>", (N, TWO)))
    assert (launch.arguments, launch.line) == ((ONE,), 2)
    assert launch.offset == len("void f(int n) {\n" + text)


@pytest.mark.parametrize(
    "text",
    [
        'DISPATCH_ALL(t, "k", [&] { k<<<n, 1>>>(); });',
        "DISPATCH_ALL(t, T, { k<<<n, 1>>>(); });",
        "DISPATCH_ALL(t, T, k<T, 1><<<n, 1>>>(););",
        "DISPATCH_ALL(t, T, OTHER_SWITCH(u, k<T, 1><<<n, 1>>>();););",
        "DISPATCH_ALL(t, [&] { OTHER_SWITCH(u, [&] { k<<<n, 1>>>(); }); });",
        "[&] { k<<<n, 1>>>(); }();",
    ],
)
def test_blocks_that_macros_run_are_in_place(text: str) -> None:
    launches = [one.value for one in body(text) if isinstance(one, Evaluate)]
    assert [one.grid for one in launches if isinstance(one, Launch)] == [N]


def test_a_return_of_an_inlined_block_leaves_the_block() -> None:
    (loop, after) = body("DISPATCH_ALL(t, [&] { if (n) { return; } k<<<1, 1>>>(); }); x = 1;")
    assert isinstance(loop, Loop)
    assert loop.body[0] == Branch(N, (Stop(2, leaves_function=False),), (), 2)
    assert after == Assign(Name("x"), ONE, 2)


def test_what_is_no_launch() -> None:
    text = '// k<<<1, 1>>>();\nx = "k<<<1, 1>>>()"; a<b<c<d>>>(n); y = 1 << 2 >> 1;'
    assert not any(isinstance(getattr(one, "value", None), Launch) for one in body(text))
