from geoaudit.shardcheck.program.expressions import (
    Call,
    FunctionValue,
    Member,
    Name,
    Number,
    Opaque,
    Operation,
)
from geoaudit.shardcheck.program.file_program import Import
from geoaudit.shardcheck.program.statements import (
    Assign,
    Branch,
    Evaluate,
    Loop,
    Parameter,
    Return,
    Stop,
)

from .programs import body, program

A, B, X = Name("a"), Name("b"), Name("x")
ONE, TWO = Number(1), Number(2)


def test_elif_nests() -> None:
    assert body("if a:\n x = 1\nelif b:\n x = 2\nelse:\n raise E") == (
        Branch(A, (Assign(X, ONE, 2),), (Branch(B, (Assign(X, TWO, 4),), (Stop(6),), 3),), 1),
    )


def test_a_thousand_arms_can_be_encoded() -> None:
    text = "if a: x = 1\n" + "elif b: x = 2\n" * 900
    depth, (block,) = 0, body(text)
    while isinstance(block, Branch) and block.otherwise:
        depth, block = depth + 1, block.otherwise[0]
    assert depth == 80


def test_assertion_stops_where_it_is_not_true() -> None:
    assert body("assert a") == (Branch(A, (), (Stop(1),), 1),)


def test_match_is_a_chain() -> None:
    text = "match a:\n case 1 | 2: x = 1\n case y: x = y"
    either = Operation("||", (Operation("==", (A, ONE)), Operation("==", (A, TWO))))
    otherwise = (Assign(Name("y"), A, 3), Assign(X, Name("y"), 3))
    assert body(text) == (Branch(either, (Assign(X, ONE, 2),), otherwise, 2),)


def test_loops() -> None:
    assert body("for x in a:\n  break\nwhile b:\n  x += 1") == (
        Loop((Stop(2, False),), 1, target=X, iterable=A),
        Loop((Assign(X, ONE, 4, "+"),), 3, condition=B),
    )


def test_with_is_inlined() -> None:
    assert body("with a, b() as x:\n x = 1") == (
        Evaluate(A, 1),
        Assign(X, Call(B, (), line=1), 1),
        Assign(X, ONE, 2),
    )


def test_handlers_follow_the_body_unless_it_leaves() -> None:
    handler = Branch(Opaque("except E"), (Assign(X, TWO, 4),), (), 3)
    assert body("try:\n x = 1\nexcept E:\n x = 2") == (Assign(X, ONE, 2), handler)
    left = program("def f():\n try:\n  return 1\n except E:\n  return 2").functions[1]
    assert left.body == (
        Branch(
            Opaque("try"),
            (Return(ONE, 3),),
            (Branch(Opaque("except E"), (Return(TWO, 5),), (), 4),),
            2,
        ),
    )


def test_functions_methods_and_fields() -> None:
    one = program(
        """
        LIMIT = 16
        @dataclass
        class Shape(Base[int]):
            heads: int = 8
            def __init__(self, n, *rest, k: int = 2, **more):
                self.n = n
                def grid(meta):
                    return n
        """
    )
    assert one.functions[0].body == (Assign(Name("LIMIT"), Number(16), 2, constant=True),)
    (shape,) = one.classes
    assert (shape.name, shape.bases) == ("Shape", ("Base",))
    assert [(f.name, f.type, f.default) for f in shape.fields] == [("heads", "int", Number(8))]
    _, method, grid = one.functions
    assert (method.kind, method.owner, method.name) == ("method", "Shape", "__init__")
    assert method.parameters == (
        Parameter("self"),
        Parameter("n"),
        Parameter("rest", is_pack=True),
        Parameter("k", "int", TWO),
        Parameter("more", is_keywords=True),
    )
    assert method.body == (
        Assign(Member(Name("self"), "n"), Name("n"), 7),
        Assign(Name("grid"), FunctionValue(2), 8),
    )
    assert (grid.enclosing, grid.name) == (1, "grid")


def test_imports_are_resolved_by_the_path() -> None:
    one = program("import torch.cuda\nimport numpy as np\nfrom .k import f as g\nfrom .. import *")
    assert one.imports == (
        Import("torch", "torch"),
        Import("np", "numpy"),
        Import("g", "engine.ops.k", "f"),
        Import("*", "engine", "*"),
    )


def test_device_code_is_not_read() -> None:
    one = program("import triton\n@triton.jit(debug=True)\ndef k(x, B: tl.constexpr):\n  y = x")
    kernel = one.functions[1]
    assert (kernel.kind, kernel.body) == ("kernel", ())
    assert len(kernel.decorators) == 1
