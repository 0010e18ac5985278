"""Fillings: fill.cu, compiled for the host, against NumPy, byte for byte."""

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from geoaudit.manifest.data_types import BYTES_PER_ELEMENT
from geoaudit.manifest.model import InitKind
from geoaudit.manifest.planned import BufferUse, PlannedBuffer, Scalar
from geoaudit.recording.suite import filling
from tests.suite_fill import filled

# What the device brings, for a host compiler: one block of one thread, which strides.
SHIM = r"""
#include <cmath>
#include <cstring>
#define __device__
#define __global__
static double __dmul_rn(double a, double b) { return a * b; }
static double __dadd_rn(double a, double b) { return a + b; }
static unsigned __float_as_uint(float f) { unsigned u; memcpy(&u, &f, 4); return u; }
static unsigned short half_bits(float f) { _Float16 h = f; unsigned short u; memcpy(&u, &h, 2); return u; }
#define asm(...) bits = half_bits(value)
struct Three { unsigned x; };
static Three gridDim{1}, blockDim{1}, blockIdx{0}, threadIdx{0};
#include "fill.cu"
"""  # noqa: E501

Fill = Callable[[PlannedBuffer, int], bytes]


def buffer(dtype: str, init: InitKind, count: float = 1000, **figures: float) -> PlannedBuffer:
    return PlannedBuffer(
        name=f"{dtype}_{init}",
        dtype=dtype,
        elements=int(count),
        copies=2,
        init=init,
        init_figures=figures,
        kind="weight",
    )


@pytest.fixture(scope="module")
def fill(tmp_path_factory: pytest.TempPathFactory) -> Fill:
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    folder = tmp_path_factory.mktemp("fill")
    (folder / "shim.cpp").write_text(SHIM)
    library = folder / "fill.so"
    options = ["-std=c++17", "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-w"]
    include = f"-I{filling.SOURCE.parent}"
    subprocess.run([compiler, *options, include, "-o", library, folder / "shim.cpp"], check=True)
    function = ctypes.CDLL(str(library)).geoaudit_fill

    def run(one: PlannedBuffer, copy: int) -> bytes:
        memory = ctypes.create_string_buffer(one.bytes_per_copy)
        types: dict[str, Any] = {
            "u64": ctypes.c_uint64, "i32": ctypes.c_int32, "f64": ctypes.c_double,
        }  # fmt: skip
        scalars = [
            types[argument.dtype](argument.value)
            for argument in filling.fill_arguments(one, copy)
            if isinstance(argument, Scalar)
        ]
        function(memory, *scalars)
        return memory.raw

    return run


FILLINGS: list[tuple[str, InitKind, dict[str, float]]] = [
    *((dtype, "zeros", {}) for dtype in BYTES_PER_ELEMENT),
    *((dtype, "ones", {}) for dtype in BYTES_PER_ELEMENT),
    *((dtype, "constant", {"value": 97.0}) for dtype in BYTES_PER_ELEMENT),
    *((dtype, "normal", {"scale": 0.0118}) for dtype in ("f64", "f32", "f16", "bf16")),
    *((dtype, "uniform", {"low": -2.0, "high": 1.0}) for dtype in ("f64", "f32", "f16", "bf16")),
    *((dtype, "uniform", {"low": 3.0, "high": 100.0}) for dtype in ("i32", "u64", "i8", "u8")),
    ("i32", "uniform", {"low": -1000.0, "high": 1000.0}),
    *((dtype, "iota", {}) for dtype in ("f32", "i32", "i64", "u32")),
]


@pytest.mark.parametrize(("dtype", "init", "figures"), FILLINGS)
def test_the_bytes_are_numpys(
    fill: Fill, dtype: str, init: InitKind, figures: dict[str, float]
) -> None:
    one = buffer(dtype, init, **figures)
    for copy in range(2):
        assert fill(one, copy) == filled(one, copy).tobytes()


def test_every_data_type_has_its_number() -> None:
    assert set(filling.TYPES) == set(BYTES_PER_ELEMENT)


def test_normal_numbers_have_the_asked_deviation_and_no_mean() -> None:
    numbers = filled(buffer("f32", "normal", 200_000, scale=0.5), 0).astype(np.float64)
    assert abs(numbers.mean()) < 0.005
    assert numbers.std() == pytest.approx(0.5, rel=0.01)
    assert abs(numbers).max() < 0.5 * 3.47
    assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 0.01


def test_uniform_numbers_reach_their_bounds_and_stay_within() -> None:
    numbers = filled(buffer("f32", "uniform", 100_000, low=0.5, high=1.5), 0)
    assert numbers.min() >= 0.5
    assert numbers.max() <= 1.5
    assert numbers.min() < 0.501
    assert numbers.max() > 1.499


def test_copies_and_buffers_differ_and_a_longer_buffer_begins_as_a_shorter_one() -> None:
    assert filling.seed_of("weight", 0) != filling.seed_of("weight", 1)
    assert filling.seed_of("weight", 1) != filling.seed_of("weight1", 0)
    assert filling.seed_of("weight#1", 0) != filling.seed_of("weight", 10)
    short, long = (filled(buffer("f32", "normal", n, scale=1.0), 1) for n in (100, 1000))
    assert short.tobytes() == long.tobytes()[:400]


def test_the_seed_is_the_same_in_every_process() -> None:
    # Of a name, not of Python's own hash, which is salted.
    assert filling.seed_of("residual", 3) == 0x3023E60E0BD8B6AB


def test_the_arguments_name_the_copy() -> None:
    first = filling.fill_arguments(buffer("f32", "zeros"), 1)[0]
    assert first == BufferUse(buffer="f32_zeros", copy=1)
