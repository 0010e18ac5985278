"""What functions of the source return, inlined under the conditions they return at."""

import pytest

from geoaudit.shardcheck.symbolic.extents import Unknown
from geoaudit.shardcheck.symbolic.walking import walk

from ...slices import assert_extent, assert_unknown, c_value, python_value, worth


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        ("int g(int a) { if (a > 4) return 4; return a; }", "int x = g(n);", "4 if n > 4 else n"),
        ("int g(int a) { if (a > 8) { return 8; } else if (a > 4) { return 4; } return 1; }",
         "int x = g(n);", "8 if n > 8 else 4 if n > 4 else 1"),
        ("int g(int a) { switch (a) { case 1: return 8; case 2: return 4; default: return 2; } }",
         "int x = g(n);", "8 if n == 1 else 4 if n == 2 else 2"),
        ("int g(int a) { int b = a; b += 2; return b; }", "int x = g(n) * g(m);",
         "(n + 2) * (m + 2)"),
        ("int g(int a, int b = 3) { return a * b; }", "int x = g(n);", "n * 3"),
        ("int g(int a, int b = 3);\nint g(int a, int b) { return a * b; }", "int x = g(n, m);",
         "n * m"),
        ("int g(int a) { return a; }\nint g(int a, int b) { return a * b; }", "int x = g(n, m);",
         "n * m"),
        ("int g(dim3 a) { return a.y; }\nint g(int a) { return a * 2; }",
         "int x = g(dim3{1u, (unsigned) n});", "n"),
        ("template <int T> int g(int a) { return a / T; }", "int x = g<4>(n);", "n // 4"),
        ("template <int T, int U = 2> int g(int a) { return a / T * U; }", "int x = g<4>(n);",
         "n // 4 * 2"),
        ("template <typename T> T g(T a, T b) { return (a + b - 1) / b; }", "int x = g<int>(n, m);",
         "cdiv(n, m)"),
        ("struct G { int t; int of(int a) const { return a / t; } };",
         "G g{8}; int x = g.of(n);", "n // 8"),
        ("struct G { int t; G(int v) : t(v * 2) {} int of(int a) { return a / t; } };",
         "G g(4); int x = g.of(n);", "n // 8"),
        ("struct G { int t; G(int v) { t = v; t *= 2; } };", "G g{4}; int x = n / g.t;", "n // 8"),
        ("struct G { static int of(int a) { return a * 3; } };", "int x = G::of(n);", "n * 3"),
        ("struct G { int operator()(int a) const { return a * 3; } };", "G g; int x = g(n);",
         "n * 3"),
        ("struct P { int a; int b; };\nP g(int a) { P p; p.a = a; p.b = 2; return p; }",
         "int x = g(n).a * g(m).b;", "n * 2"),
        ("struct P { int a; int b; };\nP g(int a) { return {a, 2}; }", "P p = g(n); int x = p.a;",
         "n"),
        ("std::pair<int, int> g(int a) { return {a, 2}; }", "auto [y, x] = g(n);", "2"),
        ("std::tuple<int, int> g(int a) { return std::make_tuple(2, a); }",
         "int x = std::get<1>(g(n));", "n"),
        ("int g(int a) { return a * 2; }\nint h(int a) { return g(a) + 1; }", "int x = h(n);",
         "n * 2 + 1"),
        ("dim3 g(int a, int b) { return dim3(a, b); }", "int x = g(n, m).y;", "m"),
        ("dim3 g(int a, int b) { return {(unsigned) a, (unsigned) b}; }", "int x = g(n, m).y;",
         "m"),
        ("", "auto g = [](int a) { return a * 2; }; int x = g(n);", "n * 2"),
        ("", "int y = n; auto g = [&y](int a) { return a * y; }; y = 3; int x = g(m);", "m * 3"),
        ("", "auto g = [t = m * 2](int a) { return a * t; }; int x = g(n);", "n * m * 2"),
        ("", "int x = [&] { if (c) return n; return m; }();", "n if c else m"),
        ("int a2(int a) { return a * 2; }", "int (*g)(int) = a2; int x = g(n);", "n * 2"),
        ("int a2(int a) { return a * 2; }", "std::function<int(int)> g = a2; int x = g(n);",
         "n * 2"),
        ("struct G { int of(int a) { return a * 2; } };\n"
         "struct H { int of(int a) { return a * 3; } };", "H h; int x = h.of(n);", "n * 3"),
        ("namespace a { int g(int v) { return v * 2; } }", "int x = a::g(n);", "n * 2"),
        ("int g(int n) { return n * 2; }", "int x = g(m);", "m * 2"),
        ("int g(const int* a) { return a[1]; }", "int a[2] = {n, m}; int x = g(a);", "m"),
    ],
)  # fmt: skip
def test_functions_of_c(before: str, body: str, expected: str) -> None:
    assert_extent(c_value(body, before), expected)


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        ("def g(a):\n    if a > 4:\n        return 4\n    return a", "x = g(n)",
         "4 if n > 4 else n"),
        ("def g(a, b=3):\n    return a * b", "x = g(n)", "n * 3"),
        ("def g(a, b=3):\n    return a - b", "x = g(b=n, a=m)", "m - n"),
        ("def g(a, *, b):\n    return a - b", "x = g(n, b=m)", "n - m"),
        ("def g(*args):\n    return args[1]", "x = g(n, m)", "m"),
        ("def g(a, *args):\n    return a * len(args)", "x = g(n, m, k)", "n * 2"),
        ("def g(a, b):\n    return a - b", "y = (n, m)\nx = g(*y)", "n - m"),
        ("def g(a, b):\n    return a, b", "x = g(n, m)[1]", "m"),
        ("def g(a, b):\n    return a, b", "y, x = g(n, m)", "m"),
        ("def g(a):\n    return {'h': a, 'd': 2}", "x = g(n)['h']", "n"),
        ("def g(a):\n    def inner(b):\n        return a * b\n    return inner", "x = g(n)(m)",
         "n * m"),
        ("from functools import lru_cache\n@lru_cache\ndef g(a):\n    return a * 2", "x = g(n)",
         "n * 2"),
        ("g = lambda a: a * 2", "x = g(n)", "n * 2"),
        ("class G:\n    @staticmethod\n    def of(a):\n        return a * 2", "x = G.of(n)",
         "n * 2"),
        ("class G:\n    def a(self):\n        return 2\nclass H(G):\n    def a(self):\n"
         "        return super().a() * 3", "x = H().a() * n", "n * 6"),
        ("class G:\n    def a(self):\n        return self.b() * 2\n    def b(self):\n"
         "        return 5\nclass H(G):\n    def b(self):\n        return 7", "x = H().a()", "14"),
        ("def g(a):\n    return g2(a) + 1\ndef g2(a):\n    return a * 2", "x = g(n)", "n * 2 + 1"),
        ("def g(*shape):\n    return shape[0] * shape[1]", "x = g(n, m)", "n * m"),
        ("def deco(fn):\n    return fn\n@deco\ndef g(a):\n    return a * 2", "x = g(n)", "n * 2"),
        ("if fast():\n    def g(a):\n        return a * 2\nelse:\n    def g(a):\n"
         "        return a * 3", "x = g(n)", "one_of(n * 2, n * 3)"),
        ("class G:\n    def a(self, rows, columns=2):\n        return rows - columns",
         "x = G().a(columns=n, rows=m)", "m - n"),
    ],
)  # fmt: skip
def test_functions_of_python(before: str, body: str, expected: str) -> None:
    assert_extent(python_value(body, before), expected)


def test_a_loop_in_a_function_is_run() -> None:
    before = "int g(int a) { int b = 1; while (b * 2 <= a) b *= 2; return b; }"
    found = c_value("int x = g(n);", before)
    assert [worth(found, n=n) for n in (1, 7, 8, 100)] == [1, 4, 8, 64]


def test_what_a_function_does_not_use_is_not_on_the_way() -> None:
    found = c_value("int x = g(n, m);", "int g(int a, int b) { return a * 2; }")
    assert_extent(found, "n * 2")
    assert "m" not in found.names


def test_each_call_has_its_own_arguments() -> None:
    found = c_value("int y = g(n); int x = g(m);", "int g(int a) { int b = a + 1; return b; }")
    assert_extent(found, "m + 1")
    assert "n" not in found.names


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("int g(int a) { return a > 4 ? g(a / 2) : a; }", {"n"}),
        ("int h(int a);\nint g(int a) { return h(a - 1); }\nint h(int a) { return g(a); }", {"n"}),
    ],
)
def test_recursion_ends_in_an_unknown_of_what_it_is_given(before: str, expected: set[str]) -> None:
    found = c_value("int x = g(n);", before)
    assert found.names >= expected
    assert any(isinstance(one, Unknown) for one in walk(found.extent))


def test_a_call_that_nothing_explains_is_unknown_of_its_arguments() -> None:
    found = c_value("int x = elsewhere(n, m);")
    assert_unknown(found, of={"n", "m"}, reason="elsewhere is not in the source that was read")


def test_a_call_of_nothing_is_a_symbol() -> None:
    assert_extent(c_value("int x = n * elsewhere();"), "n * elsewhere()")
