"""What a loop leaves in the variables it changes."""

import pytest

from geoaudit.shardcheck.symbolic.extents import Repeated, Unknown
from geoaudit.shardcheck.symbolic.walking import symbols

from ...slices import assert_extent, assert_grid, c_value, python_value, site_of, worth

KERNEL = "import triton\n\n@triton.jit\ndef step(y): ...\n\n"


@pytest.mark.parametrize(
    ("body", "values"),
    [
        ("int x = n; while (x > 32) x /= 2;", {100: 25, 32: 32, 7: 7}),
        ("int x = 1; while (x < n) x <<= 1;", {100: 128, 64: 64, 1: 1}),
        ("int x = n; for (int i = 0; i < 3; i++) x *= 2;", {5: 40}),
        ("int x = 0; for (int i = 0; i < n; i += 2) x += i;", {6: 6, 1: 0}),
        ("int x; for (x = 1; x * x < n; x++) {}", {10: 4, 9: 3}),
        ("int x = 1, y = n; while (y > 8) { y /= 2; x *= 2; }", {64: 8, 9: 2}),
        ("int x = n; for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) x += 1;", {3: 7}),
        ("int x = n; while (x > 8) { if (x % 2) x -= 1; else x /= 2; }", {100: 6, 33: 8}),
        ("int x = n; while (x > 8 && x % 2 == 0) { int half = x / 2; x = half; }", {48: 6, 36: 9}),
        ("dim3 g(n); while (g.x > 8) { g.x /= 2; g.y *= 2; } int x = g.y;", {32: 4}),
    ],
)
def test_a_loop_of_c_is_run(body: str, values: dict[int, int]) -> None:
    found = c_value(body)
    assert {n: worth(found, n=n) for n in values} == values


@pytest.mark.parametrize(
    ("body", "values"),
    [
        ("x = n\nwhile x > 32:\n    x //= 2", {100: 25, 8: 8}),
        ("x, y = 1, n\nwhile y > 8:\n    x, y = x * 2, y // 2", {64: 8}),
    ],
)
def test_a_loop_of_python_is_run(body: str, values: dict[int, int]) -> None:
    found = python_value(body)
    assert {n: worth(found, n=n) for n in values} == values


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("for x in (n, m):", "one_of(n, m)"),
        ("for x in [4, 8]:", "one_of(4, 8)"),
        ("for x in sorted([n, m]):", "one_of(n, m)"),
        ("x = n\n    for z in range(m):", "n"),
    ],
)
def test_an_element_within_a_loop(loop: str, expected: str) -> None:
    text = f"def f(y, n, m):\n    {loop}\n        step[(x,)](y)\n"
    assert_grid(site_of(KERNEL + text, "engine.py"), f"({expected})")


def test_an_element_of_what_is_not_known_is_unknown_in_its_axis_alone() -> None:
    text = "def f(y, n, m):\n    for x in range(n):\n        step[(x, m)](y)\n"
    x, y, _ = site_of(KERNEL + text, "engine.py").grid
    assert isinstance(x.extent, Unknown)
    assert (x.roots, y.roots) == (("n",), ("m",))
    assert (x.symbols, y.symbols) == (("n", "range(n)", "x"), ("m",))


@pytest.mark.parametrize(
    "body",
    [
        "int x = n; while (true) { x /= 2; if (x < m) break; }",
        "int x = n; while (x > 8) { x /= 2; if (c) break; }",
    ],
)
def test_how_often_a_loop_that_breaks_runs_is_not_known(body: str) -> None:
    extent = c_value(body).extent
    assert isinstance(extent, Repeated)
    assert extent.condition is None
    assert "n" in {one.name for one in symbols(extent)}


def test_rounds_over_elements_are_not_counted() -> None:
    extent = python_value("x = n\nfor _ in range(m):\n    x *= 2").extent
    assert isinstance(extent, Repeated)
    assert extent.condition is None


def test_a_loop_leaves_alone_what_it_declares_itself() -> None:
    assert_extent(c_value("int x = n; while (c) { int x = m; x += 1; }"), "n")


def test_a_structure_that_a_loop_changes_in_part_keeps_the_rest() -> None:
    body = "dim3 g(n, m); while (g.x > 8) g.x /= 2; dim3 h = g; int x = h.{};"
    assert_extent(c_value(body.format("y")), "m")
    assert worth(c_value(body.format("x")), n=40) == 5


def test_a_structure_that_a_loop_changes_in_part_and_as_a_whole() -> None:
    body = "P p{n, m}; while (c) { p.a.b = 1; p = q; } int x = p.a.b;"
    assert c_value(body, "struct I { int b; }; struct P { I a; int d; };") is not None
    text = "p.s.a = n\nfor i in range(m):\n    p.s.a = i\n    p = q\nx = p.s.b"
    assert python_value(text) is not None
    nested = "s = p.s\nfor i in range(m):\n    p.s.a = i\n    p = q\nx = f(p.s).a"
    assert python_value(nested) is not None
