"""Which of several things of one name is meant: locals, parameters, constants, macros, globals."""

import pytest

from ...slices import (
    ENGINE_PY,
    assert_extent,
    assert_grid,
    c_value,
    python_value,
    site_of,
    sites_of,
    value_of,
)


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        ("int n = 4;", "int x = n;", "n"),
        ("#define TILE 32", "int x = n / TILE;", "n // 32"),
        ("#define HALF(a) ((a) / 2)", "int x = HALF(n + m);", "(n + m) // 2"),
        ("#define TWICE(n) ((n) * 2)", "int x = TWICE(m);", "m * 2"),
        ("#define ROWS (n * 2)", "int x = ROWS;", "n * 2"),
        ("#define A 2\n#define B (A * 3)", "int x = n * B;", "n * 6"),
        ("enum { kA = 32, kB };", "int x = n / kB;", "n // 33"),
        ("enum class Tile { kA = 32 };", "int x = n / (int) Tile::kA;", "n // 32"),
        ("struct T { static constexpr int kRows = 3; };", "int x = n * T::kRows;", "n * 3"),
        ("int other(int y) { int z = 4; return z; }", "int z = n; int x = z;", "n"),
        ("int g_rows = 0;", "int x = n;", "n"),
    ],
)
def test_names_of_c(before: str, body: str, expected: str) -> None:
    assert_extent(c_value(body, before), expected)


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        ("n = 4", "x = n", "n"),
        ("tile = 32", "x = n // tile", "n // 32"),
        ("tile = 32\ndef g():\n    tile = 4", "x = n // tile", "n // 32"),
        ("", "y = n\ndef g():\n    return y * 2\ny = m\nx = g()", "m * 2"),
        ("", "y = n\ng = lambda a: a * y\ny = m\nx = g(k)", "k * m"),
        ("", "def g(n):\n    return n * 2\nx = g(m)", "m * 2"),
        ("if fast:\n    tile = 32\nelse:\n    tile = 64", "x = tile", "32 if fast else 64"),
        ("try:\n    tile = 32\nexcept ImportError:\n    tile = 64", "x = tile", "one_of(32, 64)"),
    ],
)
def test_names_of_python(before: str, body: str, expected: str) -> None:
    assert_extent(python_value(body, before), expected)


def test_a_variable_that_begins_as_0_is_set_elsewhere() -> None:
    found = c_value("int x = n * g_rows;", "static int g_rows = 0;")
    assert_extent(found, "n * g_rows")


def test_a_name_of_another_file_is_found_through_its_import() -> None:
    beside = {"tiles.py": "TILE = 32\n", "others.py": "TILE = 64\n"}
    text = "from tiles import TILE as T\ndef f(n):\n    x = n * T\n"
    assert_extent(value_of(text, path=ENGINE_PY, beside=beside), "n * 32")


def test_a_name_that_a_package_hands_on_is_found() -> None:
    beside = {"pack/__init__.py": "from .tiles import TILE\n", "pack/tiles.py": "TILE = 32\n"}
    text = "from pack import TILE\ndef f(n):\n    x = n * TILE\n"
    assert_extent(value_of(text, path=ENGINE_PY, beside=beside), "n * 32")


def test_a_member_of_an_imported_module() -> None:
    beside = {"ops/tiles.py": "def rows(n):\n    return n * 3\n"}
    text = "import ops.tiles as t\ndef f(n):\n    x = t.rows(n)\n"
    assert_extent(value_of(text, path=ENGINE_PY, beside=beside), "n * 3")


def test_a_constant_of_a_header_is_found_and_one_of_another_source_is_not_preferred() -> None:
    beside = {"a.h": "constexpr int rows = 4;\n", "b.h": "constexpr int rows = 8;\n"}
    text = '#include "a.h"\nvoid f(int n) { int x = n * rows; }\n'
    found = value_of(text, beside=beside)
    assert_extent(found, "n * rows")
    assert {one.path for one in found.hops} == {"engine.cu", "a.h"}


def test_what_nothing_defines_is_itself() -> None:
    assert_extent(c_value("int x = elsewhere * n;"), "elsewhere * n")


def test_a_global_with_the_name_of_a_parameter_is_not_on_the_way() -> None:
    assert c_value("int x = m;", "int m = 4;").names == {"x", "m"}


def test_each_launch_sees_the_variable_of_its_own_block() -> None:
    text = """
    __global__ void step(float* y);
    void f(float* y, int n, int m) {
        if (m > 2) { int n = m; step<<<n, 1>>>(y); }
        auto go = [&](int n) { step<<<n, 1>>>(y); };
        go(m * 2);
        { int n = 3; step<<<n, 1>>>(y); }
        step<<<n, 1>>>(y);
    }
    """
    for site, expected in zip(sites_of(text), ("(m)", "(m * 2)", "(3)", "(n)"), strict=True):
        assert_grid(site, expected)


def test_a_parameter_hides_a_field_of_its_name() -> None:
    text = """
    __global__ void step(float* y);
    struct A { int n; void run(float* y, int n) { step<<<dim3(n, this->n), 1>>>(y); } };
    """
    assert_grid(site_of(text), "(n, this.n)")
