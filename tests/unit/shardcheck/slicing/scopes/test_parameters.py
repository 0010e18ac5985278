"""What a parameter is: its callers' arguments, as far as they are within reach."""

import pytest

from ...slices import ENGINE_PY, assert_extent, assert_grid, site_of, value_of

BODY = "static void f(int rows, int tile = 4) { int x = rows * tile; }\n"


@pytest.mark.parametrize(
    ("callers", "expected"),
    [
        ("void g(int n) { f(n, 2); }", "n * 2"),
        ("void g(int n) { f(n); }", "n * 4"),
        ("void g(int n) { f(n, 2); } void h(int m) { f(m, 2); }", "one_of(n, m) * 2"),
        ("void g(int n) { f(n, 2); } void h(int n) { f(n, 2); }", "n * 2"),
        ("void g(int n) { h(n + 1); } void h(int m) { f(m, 2); }", "(n + 1) * 2"),
        ("static void h(int m) { f(m, 2); } void g(int n) { h(n + 1); }", "(n + 1) * 2"),
        ("void g(int n) { f(n, 2); } int main() { f(7, 2); }", "n * 2"),
        ("void g(int n) { f(n, 2); } void test_f() { f(7, 2); }", "n * 2"),
        ("void g(int n) { int y = n; y = 3; f(y, 2); }", "6"),
        ("void g(int n) { auto call = [&] { f(n, 2); }; call(); }", "n * 2"),
        ("struct S { int n; void g() { f(n, 2); } };", "n * 2"),
        ("", "rows * tile"),
    ],
)
def test_arguments_of_the_callers_of_a_file(callers: str, expected: str) -> None:
    assert_extent(value_of(BODY + callers), expected)


def test_a_function_that_others_may_call_keeps_its_own_parameter_too() -> None:
    text = "void f(int rows) { int x = rows; }\nvoid g(int n) { f(n); }\n"
    other = "void f(int rows);\nvoid h(int m) { f(m); }\n"
    found = value_of(text, beside={"other.cu": other})
    assert_extent(found, "one_of(n, rows)")
    beyond = value_of(text, beside={"other.cu": other}, crosses_files=True)
    assert_extent(beyond, "one_of(n, m)")


def test_a_number_does_not_hide_a_dimension_that_ranks_divide() -> None:
    text = "static void f(int n_head) { int x = n_head; }\nvoid g() { f(32); }\n"
    assert_extent(value_of(text), "n_head")


def test_a_recursive_function_is_its_first_caller() -> None:
    text = (
        "static void f(int rows) { int x = rows; if (rows > 4) f(rows / 2); }\n"
        "void g(int n) { f(n); }\n"
    )
    found = value_of(text)
    assert "n" in found.names


@pytest.mark.parametrize(
    ("callers", "expected"),
    [
        ("def g(n):\n    f(n)", "n * 4"),
        ("def g(n):\n    f(tile=2, rows=n)", "n * 2"),
        ("def g(*args):\n    f(*args)\ndef h(n):\n    g(n, 2)", "n * 2"),
        ("class A:\n    def run(self, n):\n        f(n, 2)", "n * 2"),
        ("class A:\n    def __init__(self, n):\n        self.n = n\n"
         "    def run(self):\n        f(self.n, 2)", "self.n * 2"),
    ],
)  # fmt: skip
def test_arguments_of_callers_in_python(callers: str, expected: str) -> None:
    text = f"def f(rows, tile=4):\n    x = rows * tile\n\n{callers}\n"
    assert_extent(value_of(text, path=ENGINE_PY), expected)


def test_the_names_of_every_caller_are_on_the_way() -> None:
    text = """
    __global__ void step(float* y);
    static void launch(float* y, int blocks) { step<<<blocks, 64>>>(y); }
    static void middle(float* y, int rows) { launch(y, rows * 2); }
    void decode(float* y, int n) { middle(y, n + 1); }
    """
    site = site_of(text)
    assert_grid(site, "((n + 1) * 2)")
    assert site.grid[0].roots == ("n",)
    assert site.grid[0].symbols == ("blocks", "n", "rows")
