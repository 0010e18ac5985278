"""Grids as three axes, each with its own symbols."""

import pytest

from geoaudit.shardcheck.symbolic.extents import Integer, Unknown

from ...slices import assert_grid, site_of

KERNELS = "__global__ void step(float* y);\n"


@pytest.mark.parametrize(
    ("grid", "expected"),
    [
        ("n", "(n,)"),
        ("dim3(n)", "(n,)"),
        ("dim3(1, n)", "(1, n)"),
        ("dim3(n, m, k)", "(n, m, k)"),
        ("dim3{n, m}", "(n, m)"),
        ("dim3(n * m)", "(n * m,)"),
        ("(n + 31) / 32", "(cdiv(n, 32),)"),
        ("c ? dim3(n, m) : dim3(k)", "(n if c else k, m if c else 1)"),
        ("dim3(c ? n : m, 2)", "(n if c else m, 2)"),
        ("static_cast<unsigned>(n)", "(n,)"),
        ("std::max(1, n / m)", "(max(1, n // m),)"),
        ("p.grid", "(p.grid.x, p.grid.y, p.grid.z)"),
        ("p.rows", "(p.rows,)"),
    ],
)
def test_grids_of_c(grid: str, expected: str) -> None:
    text = f"""
    struct Parts {{ dim3 grid; int rows; }};
    {KERNELS}
    void f(float* y, int n, int m, int k, bool c, Parts p) {{
        step<<<{grid}, 64>>>(y);
    }}
    """
    assert_grid(site_of(text), expected.replace(",)", ")"))


@pytest.mark.parametrize(
    ("before", "grid", "expected"),
    [
        ("", "(n,)", "(n)"),
        ("", "[n, m]", "(n, m)"),
        ("", "(n, 1, m)", "(n, 1, m)"),
        ("", "(n * m,)", "(n * m)"),
        ("", "(n,) + (m, 2)", "(n, m, 2)"),
        ("", "(n,) if c else (m, k)", "(n if c else m, 1 if c else k)"),
        ("grid = (n, m)", "grid", "(n, m)"),
        ("grid = (n, m)\n    if c:\n        grid = (k, m)", "grid", "(k if c else n, m)"),
        ("", "lambda meta: (triton.cdiv(n, meta['BLOCK']), m)", "(cdiv(n, 64), m)"),
        ("def grid(meta):\n        return (n, m)", "grid", "(n, m)"),
        ("def grid(meta):\n        if c:\n            return (n,)\n        return (m,)", "grid",
         "(n if c else m)"),
        ("rows = n\n    def grid(meta):\n        rows = m\n        return (rows,)", "grid", "(m)"),
        ("", "lambda META: (META['ROWS'],)", "(n)"),
    ],
)  # fmt: skip
def test_grids_of_triton(before: str, grid: str, expected: str) -> None:
    text = f"""\
import triton
import triton.language as tl

@triton.jit
def step(y, ROWS: tl.constexpr, BLOCK: tl.constexpr = 64): ...

def f(y, n, m, k, c):
    {before or "pass"}
    step[{grid}](y, ROWS=n)
"""
    site = site_of(text, "engine.py")
    assert site.idiom == "triton"
    assert_grid(site, expected)


def test_roots_and_symbols_are_of_their_axis_alone() -> None:
    text = f"""
    {KERNELS}
    void f(float* y, int n_head, int batch, int width) {{
        int tiles = (width + 31) / 32;
        int heads = n_head;
        dim3 grid(tiles, heads);
        grid.z = batch;
        step<<<grid, 64>>>(y);
    }}
    """
    x, y, z = site_of(text).grid
    assert (x.roots, y.roots, z.roots) == (("width",), ("n_head",), ("batch",))
    assert (x.symbols, y.symbols, z.symbols) == (
        ("tiles", "width"),
        ("heads", "n_head"),
        ("batch", "grid.z"),
    )


def test_an_axis_that_is_not_given_depends_on_nothing() -> None:
    text = f"{KERNELS}void f(float* y, int n) {{ dim3 g(n); step<<<g, 64>>>(y); }}"
    _, y, z = site_of(text).grid
    assert (y.extent, y.roots, y.symbols) == (Integer(value=1), (), ())
    assert (z.extent, z.roots, z.symbols) == (Integer(value=1), (), ())


def test_a_number_depends_on_nothing() -> None:
    text = f"{KERNELS}void f(float* y, int n) {{ int g = n; g = 8; step<<<g, n>>>(y); }}"
    site = site_of(text)
    assert_grid(site, "(8)")
    assert site.grid[0].roots == ()
    assert site.block is not None
    assert site.block[0].roots == ("n",)


def test_four_axes_are_no_grid() -> None:
    text = "import triton\n@triton.jit\ndef step(y): ...\ndef f(y, n):\n    step[(n, n, n, n)](y)\n"
    assert all(isinstance(axis.extent, Unknown) for axis in site_of(text, "engine.py").grid)
