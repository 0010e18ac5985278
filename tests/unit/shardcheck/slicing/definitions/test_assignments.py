"""What an assignment gives, by the form of its two sides."""

import pytest

from geoaudit.shardcheck.slicing.sites import Hop

from ...slices import assert_extent, c_value, python_value

PARTS = "struct Inner { int h; int w; }; struct Parts { Inner inner; int rows; };"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int x = n; x += m; x *= 2;", "(n + m) * 2"),
        ("int x = n; x <<= 1; x -= m;", "n * 2 - m"),
        ("int x = n; x /= m; x++;", "n // m + 1"),
        ("int x = n; --x;", "n - 1"),
        ("int x, y; x = y = n;", "n"),
        ("int a[2]; a[0] = n; a[1] = m; int x = a[1];", "m"),
        ("int a[2] = {n, m}; int x = a[0];", "n"),
        ("int a[] = {n, m}; int x = a[k];", "one_of(n, m)"),
        ("int a[2] = {n, m}; a[k] = 4; int x = a[0];", "one_of(n, 4)"),
        ("auto [a, b] = std::make_pair(n, m); int x = b;", "m"),
        ("int a, x; std::tie(a, x) = std::make_tuple(n, m);", "m"),
        ("std::pair<int, int> p{n, m}; int x = p.second;", "m"),
        ("std::array<int, 2> a = {n, m}; a[1] = k; int x = a[1] * a[0];", "n * k"),
        ("dim3 g(n); g.y = m; int x = g.x * g.y * g.z;", "n * m"),
        ("dim3 g(n, m); dim3 h = g; h.x = k; int x = g.x;", "n"),
        ("dim3 g = {1u, (unsigned) n}; int x = g.y;", "n"),
        ("dim3 g; int x = g.x;", "1"),
        ("int x = n; auto set = [=](int v) mutable { x = v; }; set(m);", "n"),
    ],
)
def test_assignments_of_c(body: str, expected: str) -> None:
    assert_extent(c_value(body), expected)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Parts p; p.inner.h = n; p.inner.w = m; int x = p.inner.h;", "n"),
        ("Parts p = {.inner = {.h = n}, .rows = m}; int x = p.inner.h * p.rows;", "n * m"),
        ("Parts p{.rows = m}; p.inner = Inner{n, k}; int x = p.inner.w;", "k"),
        ("Parts p; p.rows = n; Parts q = p; q.rows = m; int x = p.rows;", "n"),
        ("Parts p; p.rows = n; Parts* q = &p; q->rows = m; int x = p.rows;", "m"),
        ("Parts p; p.rows = n; if (c) p.rows = m; int x = p.rows;", "m if c else n"),
        ("Parts p; p.rows = n; p = Parts{{k, k}, m}; int x = p.rows;", "m"),
        ("Parts a[2]; a[0].rows = n; a[1].rows = m; int x = a[0].rows;", "n"),
    ],
)
def test_fields_of_structures(body: str, expected: str) -> None:
    assert_extent(c_value(body, PARTS), expected)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = y = n", "n"),
        ("x, y = n, m\nx, y = y, x", "m"),
        ("(y, z), x = (n, 2), m", "m"),
        ("y, *x = n, m, k\nx = x[1]", "k"),
        ("a, x, b = *q.shape[:2], n", "q.shape[1]"),
        ("a, b, x = *q.shape[:2], n", "n"),
        ("x, a, b = n, *q.shape[:2]", "n"),
        ("x = n\nx //= m", "n // m"),
        ("x = [n, m][1]", "m"),
        ("x = (n, m)[-2]", "n"),
        ("y = {'a': n, 'b': m}\nx = y['b']", "m"),
        ("y = {'a': n}\ny['b'] = m\nx = y['b'] * y['a']", "n * m"),
        ("y = [n, m]\ny[0] = k\nx = y[0]", "k"),
        ("y = (n, m)\nx = (*y, k)[2]", "k"),
    ],
)
def test_assignments_of_python(body: str, expected: str) -> None:
    assert_extent(python_value(body), expected)


def test_each_variable_of_an_unpacking_has_its_own_names() -> None:
    assert python_value("y, x = n, m").names == {"x", "m"}


def test_an_assignment_is_a_hop_with_its_line_and_words() -> None:
    found = c_value("int rows = n * 2;\nint x = rows;")
    assert found.hops == (
        Hop(path="engine.cu", line=4, text="x = rows"),
        Hop(path="engine.cu", line=3, text="rows = n * 2"),
    )


@pytest.mark.parametrize(
    ("declaration", "stays"),
    [
        ("const int rows = 64;", True),
        ("constexpr int rows = 64;", True),
        ("int kRows = 64;", True),
        ("int ROWS = 64;", True),
        ("int rows = 64;", False),
        ("const int rows = 1;", False),
    ],
)
def test_a_named_constant_stays_a_symbol(declaration: str, stays: bool) -> None:
    name = declaration.split(" = ")[0].split()[-1]
    value = declaration.split(" = ")[1].rstrip(";")
    found = c_value(f"{declaration} int x = n * {name};")
    assert_extent(found, f"n * {name}" if stays else f"n * {value}")
