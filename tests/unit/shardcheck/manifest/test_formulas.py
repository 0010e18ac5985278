"""Formulas of a manifest as expressions of the program."""

import pytest

from geoaudit.shardcheck.manifest.formulas import FormulaError, names_in, read_formula
from geoaudit.shardcheck.program.expressions import Call, Choice, Name, Number, Operation
from geoaudit.shardcheck.program.spelling import spelled


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (3, "3"),
        (True, "1"),
        ("-2", "-2"),
        ("heads / tp", "heads / tp"),
        ("cdiv(rows,\n 8) * 2", "cdiv(rows, 8) * 2"),
        ("a if b else c", "b ? a : c"),
        ("not A and 2 < b <= 4", "(!A) && ((2 < b) && (b <= 4))"),
        ("A or 1", "A || 1"),
        ("n ** 2 // 3 % 5", "((n ** 2) // 3) % 5"),
        ("min(a, max(b, 1))", "min(a, max(b, 1))"),
        ("+x - -y", "x - (-y)"),
    ],
)
def test_what_formulas_say(formula: object, expected: str) -> None:
    assert spelled(read_formula(formula)) == expected


@pytest.mark.parametrize(
    "formula",
    ["", "a +", "x[0]", "abs(x)", "min(a, key=b)", "lambda: 1", "1.5", 1.5, None, [1], "a is b"]
    + ["~a", "a << 1", "f'{a}'", "x" * 1001, "1" + "+1" * 70, "-" * 900 + "1"]
    + [2**63, str(2**64), "(" * 400],
)
def test_what_is_no_formula(formula: object) -> None:
    with pytest.raises(FormulaError):
        read_formula(formula)


def test_names_are_those_of_symbols() -> None:
    assert names_in(read_formula("cdiv(rows, min(a, 8)) if A else b")) == {"rows", "a", "A", "b"}


def test_nodes_are_those_of_other_languages() -> None:
    found = read_formula("cdiv(n, 2) if n > 1 else 1")
    condition = Operation(">", (Name("n"), Number(1)))
    assert found == Choice(condition, Call(Name("cdiv"), (Name("n"), Number(2))), Number(1))
