"""Macros: expanded with their arguments, names pasted, free names bound where they are used."""

import pytest

from ...slices import assert_extent, assert_grid, c_value, sites_of


@pytest.mark.parametrize(
    ("before", "body", "expected"),
    [
        ("#define SET(v, e) v = (e) * 2", "int x; SET(x, n);", "n * 2"),
        ("#define MAKE(name, e) int name##_rows = (e)", "MAKE(q, n); int x = q_rows;", "n"),
        ("#define OUTER(v, e) INNER(v, e)\n#define INNER(v, e) v = e", "int x; INNER(x, n);", "n"),
        ("#define CDIV(a, b) (((a) + (b) - 1) / (b))", "int x = CDIV(n + m, 32);",
         "cdiv(n + m, 32)"),
        ("#define PICK(c, a, b) ((c) ? (a) : (b))", "int x = PICK(n > 4, n, m);",
         "n if n > 4 else m"),
    ],
)  # fmt: skip
def test_macros_of_values(before: str, body: str, expected: str) -> None:
    assert_extent(c_value(body, before), expected)


MACRO = """
__global__ void step(float* y);
__global__ void other(float* y);
#define LAUNCH(kernel, rows) kernel<<<GRID, 64>>>(y)
void f(float* y, int n) { int tiles = n * 2; LAUNCH(step, n); }
void g(float* y, int m) { int tiles = 3; LAUNCH(other, m); }
"""


def test_a_macro_that_takes_kernel_and_grid_is_a_site_where_it_is_used() -> None:
    sites = {site.function: site for site in sites_of(MACRO.replace("GRID", "rows"))}
    assert (sites["f"].kernel, sites["g"].kernel) == ("step", "other")
    assert sites["LAUNCH"].is_launcher
    assert_grid(sites["f"], "(n)")
    assert_grid(sites["g"], "(m)")


def test_a_free_name_of_a_macro_is_what_it_is_at_every_use() -> None:
    (site,) = sites_of(MACRO.replace("GRID", "tiles"))
    assert site.kernel == "step | other"
    assert_grid(site, "(one_of(n * 2, 3))")
    assert site.grid[0].roots == ("n",)
