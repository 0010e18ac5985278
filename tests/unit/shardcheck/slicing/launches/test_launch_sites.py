"""Sites: what is launched, by whom, under which conditions."""

import pytest

from geoaudit.shardcheck.symbolic.wording import as_text

from ...slices import assert_grid, site_of, sites_of

KERNELS = "__global__ void step(float* y);\n__global__ void other(float* y);\n"


@pytest.mark.parametrize(
    ("launch", "kernel"),
    [
        ("step<<<n, 64>>>(y);", "step"),
        ("ns::step<<<n, 64>>>(y);", "step"),
        ("step<float, 4><<<n, 64>>>(y);", "step"),
        ("auto k = &step; k<<<n, 64>>>(y);", "step"),
        ("auto k = c ? step : other; k<<<n, 64>>>(y);", "step | other"),
        ("auto k = step; if (c) k = other; k<<<n, 64>>>(y);", "other | step"),
        ("void* args[] = {&y}; cudaLaunchKernel((void*) step, dim3(n), dim3(64), args, 0, s);",
         "step"),
        ("cudaLaunchConfig_t l = {}; l.gridDim = n; l.blockDim = 64; "
         "cudaLaunchKernelEx(&l, step, y);", "step"),
        ("cudaLaunchConfig_t l{n, 64}; cudaLaunchKernelEx(&l, step, y);", "step"),
        ("hipLaunchKernelGGL(step, dim3(n), dim3(64), 0, s, y);", "step"),
        ("cuLaunchKernel(handle, n, 1, 1, 64, 1, 1, 0, s, args, nullptr);", "handle"),
    ],
)  # fmt: skip
def test_what_is_launched(launch: str, kernel: str) -> None:
    text = f"{KERNELS}void f(float* y, int n, bool c, cudaStream_t s) {{ {launch} }}"
    site = site_of(text)
    assert site.kernel == kernel
    assert site.function == "f"
    assert_grid(site, "(n)")
    assert site.block is not None
    assert as_text(site.block[0].extent) == "64"


def test_an_argument_is_one_call_away() -> None:
    launch = "static void launch(float* y, int blocks) { step<<<blocks, 64>>>(y); }"
    site = site_of(f"{KERNELS}{launch} void f(float* y, int n) {{ launch(y, n * 2); }}")
    assert_grid(site, "(n * 2)")
    assert site.callers_followed == 1


def test_two_launches_of_a_line_are_two_sites() -> None:
    text = f"{KERNELS}void f(float* y, int n, int m) {{ step<<<n, 1>>>(y); step<<<m, 1>>>(y); }}"
    first, second = sites_of(text)
    assert (first.line, first.grid[0].roots) == (second.line, ("n",))
    assert second.grid[0].roots == ("m",)
    assert first.offset < second.offset


@pytest.mark.parametrize(
    ("body", "guards"),
    [
        ("if (n == 0) return; LAUNCH", ["n != 0"]),
        ("if (n > 4) { LAUNCH }", ["n > 4"]),
        ("if (n > 4) { return; } else { LAUNCH }", ["n <= 4"]),
        ("if (n > 4 && c) { LAUNCH }", ["n > 4 && c"]),
        ("if (m > 4) { LAUNCH }", []),
        ("if (m > 4) return; if (n < 2) return; LAUNCH", ["n >= 2"]),
        ("LAUNCH if (n > 4) return;", []),
    ],
)
def test_conditions_of_a_launch_on_what_its_grid_is_made_of(body: str, guards: list[str]) -> None:
    launch = "step<<<n, 64>>>(y);"
    text = f"{KERNELS}void f(float* y, int n, int m, bool c) {{ {body.replace('LAUNCH', launch)} }}"
    assert [as_text(one) for one in site_of(text).guards] == guards


def test_a_launcher_and_its_callers() -> None:
    text = f"""
    template <typename K> void launch(dim3 grid, K kernel, float* y) {{
        kernel<<<grid, 64>>>(y);
    }}
    {KERNELS}
    void f(float* y, int n) {{ launch(dim3(n), step, y); }}
    void g(float* y, int m) {{ launch(dim3(1, m), other, y); }}
    """
    own, first, second = sites_of(text)
    assert (own.is_launcher, own.launcher) == (True, None)
    assert [(one.launcher, one.kernel, one.is_launcher) for one in (first, second)] == [
        ("launch", "step", False),
        ("launch", "other", False),
    ]
    assert_grid(first, "(n)")
    assert_grid(second, "(1, m)")


def test_a_function_that_fixes_its_kernel_is_no_launcher() -> None:
    text = f"""
    {KERNELS}
    static void launch(dim3 grid, float* y) {{ step<<<grid, 64>>>(y); }}
    void f(float* y, int n) {{ launch(dim3(n, 2), y); }}
    """
    site = site_of(text)
    assert not site.is_launcher
    assert_grid(site, "(n, 2)")


def test_variables_that_were_given_exactly_a_symbol_are_its_aliases() -> None:
    text = f"""
    {KERNELS}
    void f(float* y, int n, int m) {{
        int heads = n, twice = n * 2;
        step<<<dim3(heads, twice), 64>>>(y);
    }}
    """
    ((symbol, names),) = site_of(text).aliases
    assert (symbol.name, names) == ("n", ("heads",))


def test_constants_have_their_values_and_remarks() -> None:
    text = f"""
    {KERNELS}
    constexpr int kSplits = 8;  // measured at 8192 tokens
    void f(float* y, int n) {{ step<<<dim3(n, kSplits), 64>>>(y); }}
    """
    (constant,) = site_of(text).constants
    assert (constant.symbol.name, constant.values) == ("kSplits", (8,))
    assert "measured at 8192 tokens" in constant.remark


def test_what_callers_of_other_files_pass_is_a_binding() -> None:
    text = f"{KERNELS}void f(float* y, int n) {{ step<<<n, 64>>>(y); }}"
    beside = {
        "caller.cu": "void f(float* y, int n);\n"
        "void g(float* y, int total, int tp_size) { f(y, total / tp_size); }\n"
    }
    site = site_of(text, beside=beside)  # fmt: skip
    assert_grid(site, "(n)")
    assert site.grid[0].roots == ("n",)
    assert [(one.name, as_text(extent)) for one, extent in site.bindings] == [
        ("n", "total // tp_size")
    ]


def test_a_field_of_a_module_is_bound_where_it_is_assigned() -> None:
    text = "class Attention:\n    def run(self, y):\n        step[(self.heads,)](y)\n"
    kernel = "import triton\n@triton.jit\ndef step(y): ...\n"
    init = "    def __init__(self, total, tp_size):\n        self.heads = total // tp_size\n"
    site = site_of(kernel + text + init, "engine.py")
    assert_grid(site, "(self.heads)")
    assert [(one.name, as_text(extent)) for one, extent in site.bindings] == [
        ("self.heads", "total // tp_size")
    ]


def test_a_launch_in_a_macro_is_made_of_what_stands_where_it_is_used() -> None:
    text = f"""
    {KERNELS}
    #define LAUNCH(kernel, blocks, ...) kernel<<<blocks, threads>>>(__VA_ARGS__)
    void f(float* y, int n) {{
        const int threads = 64;
        LAUNCH(step, n * 2, y);
    }}
    """
    site = next(one for one in sites_of(text) if one.function == "f")
    assert (site.kernel, site.launcher) == ("step", "LAUNCH")
    assert_grid(site, "(n * 2)")
