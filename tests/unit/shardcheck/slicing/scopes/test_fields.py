"""Fields of classes: through what a structure is passed, inherited and declared."""

import pytest

from ...slices import ENGINE_PY, assert_extent, assert_grid, site_of, value_of

STEP = "__global__ void step(float* y);\nstruct I { int h; };\nstruct P { I i; int h; int w; };\n"


@pytest.mark.parametrize(
    ("launch", "caller", "expected"),
    [
        ("P p", "P p; p.h = n; p.w = m; launch(y, p); p.h = 3;", "(n, m)"),
        ("const P& p", "P p; p.h = n; p.w = m; launch(y, p);", "(n, m)"),
        ("P* p", "P p; p.h = n; p.w = m; launch(y, &p);", "(n, m)"),
        ("P p", "launch(y, {.h = n, .w = m});", "(n, m)"),
        ("P p", "P p{}; memset(&p, 0, sizeof(p)); p.h = n; p.w = m; launch(y, p);", "(n, m)"),
        ("P p", "P p; P q; q.h = m; p.h = n; p.w = q.h; launch(y, p);", "(n, m)"),
    ],
)
def test_a_structure_keeps_its_fields_through_a_call(
    launch: str, caller: str, expected: str
) -> None:
    arrow = "->" if "*" in launch else "."
    text = (
        f"{STEP}static void launch(float* y, {launch}) {{\n"
        f"    step<<<dim3(p{arrow}h, p{arrow}w), 64>>>(y);\n}}\n"
        f"void f(float* y, int n, int m) {{ {caller} }}\n"
    )
    assert_grid(site_of(text), expected)


def test_a_field_of_a_field_is_followed() -> None:
    text = (
        f"{STEP}static void launch(float* y, const P& p) {{ step<<<p.i.h, 64>>>(y); }}\n"
        "void f(float* y, int n) { P p; p.i.h = n; launch(y, p); }\n"
    )
    assert_grid(site_of(text), "(n)")


def test_a_field_of_ones_own_class_is_a_root_by_its_name() -> None:
    site = site_of(f"{STEP}struct A {{ int h; void run(float* y) {{ step<<<h * 2, 1>>>(y); }} }};")
    assert_grid(site, "(h * 2)")
    assert site.grid[0].roots == ("h",)


def test_an_inherited_method_reads_the_fields_of_the_object() -> None:
    text = (
        f"{STEP}struct B {{ int n; int rows() {{ return n; }} }};\n"
        "struct D : B { int twice() { return rows() * 2; } };\n"
        "void f(float* y, int n) { D d; d.n = n; step<<<d.twice(), 1>>>(y); }\n"
    )
    assert_grid(site_of(text), "(n * 2)")


CLASSES = """
from functools import cached_property

class Base:
    TILE = 32

    def __init__(self, n):
        self.n = n

    @cached_property
    def rows(self):
        return self.n * 2

class Model(Base):
    def __init__(self, n, m):
        super().__init__(n)
        self.m = m
        self.pair = (n, m)

    def run(self, q):
        x = BODY
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("self.m", "self.m"),
        ("self.n", "self.n"),
        ("self.rows", "self.n * 2"),
        ("self.m // self.TILE", "self.m // 32"),
        ("self.pair[1]", "m"),
        ("q.view(-1, self.n, self.m).shape[1]", "self.n"),
    ],
)
def test_fields_of_an_object_of_python(body: str, expected: str) -> None:
    text = CLASSES.replace("BODY", body)
    assert_extent(value_of(text, function="run", path=ENGINE_PY), expected)


def test_a_field_that_is_assigned_beyond_is_followed_where_files_are_crossed() -> None:
    text = CLASSES.replace("BODY", "self.m + self.n")
    found = value_of(text, function="run", path=ENGINE_PY, crosses_files=True)
    assert found.names >= {"self.m", "m"}
