"""The calls of a lambda: by its name, where it is written, and by what it is given to."""

import pytest

from geoaudit.shardcheck.slicing.calls.lambdas import calls_of_lambda
from geoaudit.shardcheck.slicing.slicer import Slicer

from ...slices import ENGINE_CU, assert_grid, index, site_of

STEP = "__global__ void step(float* y);\n"


@pytest.mark.parametrize(
    ("body", "callers"),
    [
        ("auto g = [&](int a) { use(a); }; g(n);", ["f"]),
        ("auto g = [&](int a) { use(a); }; g(n); g(3);", ["f", "f"]),
        ("auto g = [&](int a) { use(a); };", []),
        ("[&](int a) { use(a); }(n);", ["f"]),
        ("each([&](int a) { use(a); }, n);", ["each"]),
        ("nowhere([&](int a) { use(a); }, n);", []),
        ("each([&](int a) { use(a); });", []),
    ],
)
def test_who_calls_a_lambda(body: str, callers: list[str]) -> None:
    text = (
        "template <typename F> void each(F run, int k) { run(k * 2); }\n"
        f"void other(int n) {{ g(n); }}\nvoid f(int n) {{ {body} }}\n"
    )
    program = index({ENGINE_CU: text})
    (one,) = (indexed for indexed in program.by_file.values() if indexed.function.kind == "lambda")
    found = calls_of_lambda(Slicer(program=program), one)
    assert [site.caller.name for site in found] == callers


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("auto go = [&](int rows) { step<<<rows, 64>>>(y); }; go(n); ", "(n)"),
        ("auto go = [&](int rows) { step<<<rows, 64>>>(y); }; go(n); go(m * 2);",
         "(one_of(n, m * 2))"),
        ("auto go = [&](auto rows) { step<<<n, rows>>>(y); }; go(64);", "(n)"),
        ("each([&](int rows) { step<<<rows, 64>>>(y); }, n);", "(n * 2)"),
        ("auto go = [&] { int rows = m; step<<<rows, 64>>>(y); }; go();", "(m)"),
    ],
)  # fmt: skip
def test_a_launch_in_a_lambda_has_the_arguments_of_its_calls(body: str, expected: str) -> None:
    each = "template <typename F> void each(F run, int k) { run(k * 2); }\n"
    assert_grid(site_of(f"{STEP}{each}void f(float* y, int n, int m) {{ {body} }}"), expected)
