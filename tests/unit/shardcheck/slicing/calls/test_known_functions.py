"""Functions of the languages and libraries."""

import pytest

from ...slices import assert_extent, c_value, python_value


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int x = std::min(n, m);", "min(n, m)"),
        ("int x = std::max<int>(1, n / m);", "max(1, n // m)"),
        ("int x = std::min({n, m, k});", "min(min(n, m), k)"),
        ("int x = std::clamp(n, 1, m);", "min(max(n, 1), m)"),
        ("int x = ceil_div(n, m);", "cdiv(n, m)"),
        ("int x = at::ceil_div(n, 4);", "cdiv(n, 4)"),
        ("int x = (n + m - 1) / m;", "cdiv(n, m)"),
        ("int x = (n - 1) / 32 + 1;", "(n - 1) // 32 + 1"),
        ("int x = (n + 31) & ~31;", "cdiv(n, 32) * 32"),
        ("int x = (n + 31) >> 5;", "cdiv(n, 32)"),
        ("int x = (int) ceil((float) n / 32);", "cdiv(n, 32)"),
        ("int x = static_cast<int>(std::ceil(n / 32.0));", "cdiv(n, 32)"),
        ("int x = ceilf(n / 32);", "n // 32"),
        ("int x = (int) (n * 0.5);", "n // 2"),
        ("int x = n / 2 * 2;", "n // 2 * 2"),
        ("int x = n % 4 == 0 ? n / 4 : n;", "n // 4 if n % 4 == 0 else n"),
        ("int x = n > 4 && m > 4;", "n > 4 and m > 4"),
        ("int x = !n;", "not n"),
        ("int x = std::abs(n);", "n"),
        ("int x = sizeof(float) * n;", "4 * n"),
        ("int x = (unsigned) n;", "n"),
        ("int x = dim3(n, m).y;", "m"),
    ],
)
def test_functions_of_c(body: str, expected: str) -> None:
    assert_extent(c_value(body), expected)


def test_a_function_of_the_file_is_preferred_to_a_librarys() -> None:
    assert_extent(c_value("int x = min(n, m);", "int min(int a, int b) { return a; }"), "n")
    lies = "int ceil_div(int a, int b) { return a / b; }"
    assert_extent(c_value("int x = ceil_div(n, m);", lies), "n // m")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = min(n, m, k)", "min(min(n, m), k)"),
        ("x = max((n, m))", "max(n, m)"),
        ("x = max([n, m])", "max(n, m)"),
        ("y = (n, m)\nx = max(*y)", "max(n, m)"),
        ("import triton\nx = triton.cdiv(n, 32)", "cdiv(n, 32)"),
        ("import triton\nx = triton.next_power_of_2(n)", "next_power_of_2(n)"),
        ("x = -(-n // 32)", "cdiv(n, 32)"),
        ("import math\nx = math.ceil(n / 32)", "cdiv(n, 32)"),
        ("import math\nx = math.prod((n, m, 2))", "n * m * 2"),
        ("import math\nx = math.floor(n / 32)", "n // 32"),
        ("x = int(n)", "n"),
        ("x = len((n, m))", "2"),
        ("x = abs(n)", "n"),
        ("x = n ** 2", "n ** 2"),
        ("x = getattr(q, 'rows', 4) * n", "q.rows * n"),
        ("x = tuple([n, m])[1]", "m"),
        ("x = list((n, m))[0]", "n"),
        ("x = 4 < n < 8", "4 < n and n < 8"),
        ("x = not n", "not n"),
    ],
)
def test_functions_of_python(body: str, expected: str) -> None:
    assert_extent(python_value(body), expected)
