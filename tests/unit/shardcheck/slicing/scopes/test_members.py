"""Members of structures, objects and tuples."""

import pytest

from ...slices import assert_extent, assert_unknown, c_value, python_value, value_of

TYPES = """
struct Shape { int h = 3; int w; };
struct Wide : Shape { int d; };
struct Nested { Shape shape; int rows; };
typedef Shape Other;
using Alias = Nested;
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Shape s; int x = n * s.h;", "n * 3"),
        ("Shape s{n, m}; int x = s.w;", "m"),
        ("Shape s{.w = m}; int x = s.w * s.h;", "m * 3"),
        ("Other s{n, m}; int x = s.w;", "m"),
        ("Wide s; s.w = n; s.d = m; int x = s.w;", "n"),
        ("auto s = Shape{n, m}; auto t = s; int x = t.w;", "m"),
        ("const Shape& s = Shape{n, m}; int x = s.h;", "n"),
        ("Shape* s = new Shape{n, m}; int x = s->w;", "m"),
        ("auto s = std::make_unique<Shape>(); s->w = n; int x = s->w;", "n"),
        ("dim3 s(n, m); int x = s.z;", "1"),
        ("uint3 s = make_uint3(n, m, k); int x = s.z;", "k"),
    ],
)
def test_members_of_structures(body: str, expected: str) -> None:
    assert_extent(c_value(body, TYPES), expected)


@pytest.mark.parametrize(
    ("parameter", "expected"),
    [("Shape s", "s.w"), ("const Shape& s", "s.w"), ("Shape* s", "s.w"), ("Nested s", "s.shape.w")],
)
def test_a_field_of_a_parameter_stays_as_it_is_written(parameter: str, expected: str) -> None:
    written = expected.replace("s.", "s->", 1) if "*" in parameter else expected
    found = value_of(f"{TYPES}\nvoid f({parameter}) {{ int x = {written}; }}")
    assert_extent(found, expected)
    assert found.names <= {"x", "s.shape", expected}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p = Pair(n, m)\nx = p.second", "m"),
        ("p = Pair(second=m, first=n)\nx = p.first", "n"),
        ("p = Data(n)\nx = p.rows * p.tile", "n * 32"),
        ("p = Data(n, tile=m)\nx = p.tile", "m"),
        ("p = Data(n)\np.rows = m\nx = p.rows", "m"),
        ("p = Data(n)\nx = p.blocks", "(n + 31) // 32"),
        ("p = Made(n)\nx = p.rows", "n * 2"),
        ("p = Made(n)\nx = p.twice()", "n * 4"),
        ("p = Derived(n, m)\nx = p.columns", "m"),
        ("x = Derived.kind * n", "n * 7"),
        ("x = Made.scaled(n)", "n * 5"),
        ("p = Made.of(n)\nx = p.rows", "(n + 1) * 2"),
    ],
)
def test_objects_of_python(body: str, expected: str) -> None:
    assert_extent(python_value(body, CLASSES), expected)


CLASSES = """
from dataclasses import dataclass
from typing import NamedTuple

class Pair(NamedTuple):
    first: int
    second: int

@dataclass
class Data:
    rows: int
    tile: int = 32

    @property
    def blocks(self):
        return (self.rows + self.tile - 1) // self.tile

class Made:
    kind = 7

    def __init__(self, rows):
        self.rows = rows * 2

    def twice(self):
        return self.rows * 2

    @staticmethod
    def scaled(n):
        return n * 5

    @classmethod
    def of(cls, n):
        return cls(n + 1)

class Derived(Made):
    def __init__(self, rows, columns):
        super().__init__(rows + columns)
        self.columns = columns
"""


def test_a_field_that_is_given_nothing_is_unknown() -> None:
    assert_unknown(
        c_value("Shape s{.w = m}; Nested t{s}; int x = t.rows;", TYPES), of=set(), reason="rows"
    )
