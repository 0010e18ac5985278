"""What a launched kernel is called."""

import pytest

from geoaudit.shardcheck.slicing.launches.kernel_names import kernel_name
from geoaudit.shardcheck.slicing.values import (
    Either,
    Items,
    Record,
    Reference,
    Value,
    Words,
    number,
)

from ...slices import site_of


def reference(text: str) -> Reference:
    return Reference(text=text, kind="unknown", path="a.cu")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (reference("ns::step"), "step"),
        (reference("self.kernels.step"), "step"),
        (reference("step"), "step"),
        (Either(options=((None, reference("a")), (None, reference("b")))), "a | b"),
        (Either(options=((None, reference("a")), (None, reference("ns::a")))), "a"),
        (Items(values=(reference("a"), number(3))), "a"),
        (Record(type="Kernel", rest=reference("step")), "step"),
        (Record(type="Kernel"), ""),
        (number(3), ""),
        (Words(text="step"), ""),
    ],
)
def test_names_by_value(value: Value, expected: str) -> None:
    assert kernel_name(value) == expected


def test_of_many_alternatives_the_first_are_named() -> None:
    options = tuple((None, reference(name)) for name in "abcd")
    assert kernel_name(Either(options=options)) == "a | b | c"


@pytest.mark.parametrize(
    ("launch", "expected"),
    [
        ('auto k = module.get("decay_step"); k<<<n, 64>>>(y);', "decay_step"),
        ("kernels[0]<<<n, 64>>>(y);", "step"),
        ("pick(n)<<<n, 64>>>(y);", "step"),
        ("(n > 4 ? step : other)<<<n, 64>>>(y);", "step | other"),
        ("elsewhere<<<n, 64>>>(y);", "elsewhere"),
    ],
)
def test_names_by_how_a_kernel_is_come_by(launch: str, expected: str) -> None:
    text = f"""
    __global__ void step(float* y);
    __global__ void other(float* y);
    static void (*kernels[])(float*) = {{step, other}};
    static auto pick(int n) {{ return step; }}
    void f(float* y, int n) {{ {launch} }}
    """
    assert site_of(text).kernel == expected
