"""What a launch gives a grid that is a function of its meta-parameters."""

import pytest

from ...slices import assert_grid, site_of


def launched(kernel: str, call: str) -> str:
    return (
        f"import triton\nimport triton.language as tl\n\n{kernel}\n\n"
        f"def f(y, n, m, **options):\n    grid = lambda meta: (triton.cdiv(n, meta['B']),)\n"
        f"    {call}\n"
    )


PLAIN = "@triton.jit\ndef step(y, n, B: tl.constexpr): ..."
DEFAULT = "@triton.jit\ndef step(y, n, B: tl.constexpr = 32): ..."
TUNED = (
    "@triton.autotune([triton.Config({'B': 32}), triton.Config({'B': 64})], key=['n'])\n"
    "@triton.jit\ndef step(y, n, B: tl.constexpr): ..."
)
HEURISTIC = (
    "@triton.heuristics({'B': lambda args: 128})\n@triton.jit\ndef step(y, n, B: tl.constexpr): ..."
)


@pytest.mark.parametrize(
    ("kernel", "call", "expected"),
    [
        (PLAIN, "step[grid](y, n, B=64)", "(cdiv(n, 64))"),
        (PLAIN, "step[grid](y, n, 64)", "(cdiv(n, 64))"),
        (PLAIN, "step[grid](y, n, B=m)", "(cdiv(n, m))"),
        (PLAIN, "step[grid](y, n, **{'B': m})", "(cdiv(n, m))"),
        (DEFAULT, "step[grid](y, n)", "(cdiv(n, 32))"),
        (DEFAULT, "step[grid](y, n, B=64)", "(cdiv(n, 64))"),
        (TUNED, "step[grid](y, n)", "(cdiv(n, one_of(32, 64)))"),
    ],
)
def test_where_a_meta_parameter_comes_from(kernel: str, call: str, expected: str) -> None:
    assert_grid(site_of(launched(kernel, call), "engine.py"), expected)


def test_tuned_values_are_a_constant_of_several_values() -> None:
    site = site_of(launched(TUNED, "step[grid](y, n)"), "engine.py")
    (constant,) = site.constants
    assert constant.values == (32, 64)
    assert site.grid[0].roots == ("META.B", "n")


def test_one_that_nothing_gives_is_a_symbol() -> None:
    site = site_of(launched(PLAIN, "step[grid](y, n, **options)"), "engine.py")
    assert "n" in site.grid[0].roots
    assert len(site.grid[0].roots) == 2
