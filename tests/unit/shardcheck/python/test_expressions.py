import pytest

from geoaudit.shardcheck.program.expressions import (
    Call,
    Cast,
    Choice,
    Collection,
    Expression,
    FunctionValue,
    Member,
    Name,
    Number,
    Opaque,
    Operation,
    Slice,
    Starred,
    Subscript,
    Text,
)
from geoaudit.shardcheck.program.statements import Assign, Evaluate, Return

from .programs import body, program

A, B, C = Name("a"), Name("b"), Name("c")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-3", Number(-3)),
        ("a // b", Operation("//", (A, B))),
        ("a < b <= c", Operation("&&", (Operation("<", (A, B)), Operation("<=", (B, C))))),
        ("a is not None", Operation("!", (Operation("is", (A, Name("None"))),))),
        ("a and not b", Operation("&&", (A, Operation("!", (B,))))),
        ("a if b else c", Choice(B, A, C)),
        ("int(a)", Cast("int", A)),
        ("len(a)", Call(Name("len"), (A,), line=1)),
        ("f(*a, k=b)", Call(Name("f"), (Starred(A),), (("k", B),), line=1)),
        ("a.shape[-1]", Subscript(Member(A, "shape"), (Number(-1),))),
        ("a[1:, b]", Subscript(A, (Slice(Number(1), None), B))),
        ("{'x': a, **b}", Collection((), (("x", A), ("**", B)))),
        ("'text'", Text("text")),
        ("f'{a}'", Opaque("f'{a}'")),
        (
            "[a for b in c if a]",
            Opaque("[a for b in c if a]", (A, Collection((B, C, A), (), "for"))),
        ),
    ],
)
def test_expression(text: str, expected: Expression) -> None:
    assert body(text + ".x" if text == "'text'" else f"({text})[0]") in (
        (Evaluate(Subscript(expected, (Number(0),)), 1),),
        (Evaluate(Member(expected, "x"), 1),),
    )


def test_star_unpacking() -> None:
    (statement,) = body("x, y = *k.shape, v.shape[-1]")
    assert statement == Assign(
        Collection((Name("x"), Name("y"))),
        Collection(
            (
                Starred(Member(Name("k"), "shape")),
                Subscript(Member(Name("v"), "shape"), (Number(-1),)),
            )
        ),
        1,
    )


def test_lambda_is_a_function_that_returns() -> None:
    one = program("grid = lambda meta: (cdiv(n, meta['B']),)")
    assert one.functions[0].body == (Assign(Name("grid"), FunctionValue(1), 1),)
    made = one.functions[1]
    assert made.kind == "lambda"
    assert made.calls == ("cdiv",)
    assert isinstance(made.body[0], Return)


def test_assignment_expression_comes_first() -> None:
    statements = body("f((n := g()) + 1)")
    assert statements[0] == Assign(Name("n"), Call(Name("g"), (), line=1), 1)
    assert statements[1] == Evaluate(
        Call(Name("f"), (Operation("+", (Name("n"), Number(1))),), line=1), 1
    )


def test_long_literals_and_deep_expressions_are_cut() -> None:
    assert body(f"x = [{'1,' * 5000}]") == (Assign(Name("x"), Opaque("[" + "1," * 39 + "1"), 1),)
    assert "nested deeper" in program("x = f" + "()" * 300).not_analysed[0].reason
