"""Functions that launch for their callers, found and not listed."""

import pytest

from ...slices import assert_grid, sites_of

STEP = "__global__ void step(float* y);\n"


@pytest.mark.parametrize(
    ("launcher", "call"),
    [
        ("template <typename K> void go(dim3 g, K k, float* y) { k<<<g, 64>>>(y); }",
         "go(dim3(n, 2), step, y)"),
        ("template <class K, class... A> void go(K k, dim3 g, A... a) { k<<<g, 64>>>(a...); }",
         "go(step, dim3(n, 2), y)"),
        ("void go(void* k, dim3 g, void** a) { cudaLaunchKernel(k, g, dim3(64), a, 0, 0); }",
         "go((void*) step, dim3(n, 2), nullptr)"),
        ("struct Parts { dim3 grid; };\n"
         "template <typename K> void go(const Parts& p, K k, float* y) { k<<<p.grid, 64>>>(y); }",
         "Parts p; p.grid = dim3(n, 2); go(p, step, y)"),
        ("struct Go { dim3 g; Go(dim3 grid) : g(grid) {} template <typename K> "
         "void operator()(K k, float* y) { k<<<g, 64>>>(y); } };",
         "Go(dim3(n, 2))(step, y)"),
        ("template <typename K> void inner(K k, dim3 g, float* y) { k<<<g, 64>>>(y); }\n"
         "template <typename K> void go(K k, dim3 g, float* y) { inner(k, g, y); }",
         "go(step, dim3(n, 2), y)"),
        ("#define GO(k, g, ...) k<<<g, 64>>>(__VA_ARGS__)", "GO(step, dim3(n, 2), y)"),
    ],
)  # fmt: skip
def test_a_launchers_caller_is_a_site(launcher: str, call: str) -> None:
    text = f"{STEP}{launcher}\nvoid f(float* y, int n) {{ {call}; }}\n"
    found = [site for site in sites_of(text) if not site.is_launcher]
    assert [(site.function, site.kernel) for site in found] == [("f", "step")]
    assert found[0].launcher is not None
    assert_grid(found[0], "(n, 2)")


@pytest.mark.parametrize(
    "body",
    [
        "step<<<dim3(n, 2), 64>>>(y);",
        "dim3 g(n, 2); step<<<g, 64>>>(y);",
    ],
)
def test_a_function_that_makes_its_grid_is_none(body: str) -> None:
    text = f"{STEP}void go(float* y, int n) {{ {body} }}\nvoid f(float* y, int n) {{ go(y, n); }}\n"
    (site,) = sites_of(text)
    assert (site.function, site.launcher, site.is_launcher) == ("go", None, False)


def test_two_callers_with_two_kernels_have_each_their_own_grid() -> None:
    text = f"""{STEP}__global__ void other(float* y);
    template <typename K> void go(dim3 g, K k, float* y) {{ k<<<g, 64>>>(y); }}
    void f(float* y, int n, int m) {{
        go(dim3(n), step, y);
        go(dim3(1, m), other, y);
    }}
    """
    first, second = (site for site in sites_of(text) if not site.is_launcher)
    assert (first.kernel, second.kernel) == ("step", "other")
    assert (first.grid[0].roots, first.grid[1].roots) == (("n",), ())
    assert (second.grid[0].roots, second.grid[1].roots) == ((), ("m",))
