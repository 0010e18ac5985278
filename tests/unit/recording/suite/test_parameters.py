"""Arguments that a kernel does not take are refused before anything is launched."""

import re

import pytest

from geoaudit.manifest.location import ManifestError
from geoaudit.manifest.planned import StepPlan
from geoaudit.recording.suite.engine import Engine
from tests.unit.manifest.example_manifest import TEXT, planned
from tests.unit.recording.suite.fake_device import FakeRuntime

PROJECTION = (8, 8, 8, 4, 4, 8)
"""Of the example: three addresses, two i32, one i64."""


def line_of(text: str) -> int:
    """Line, from 1, of a text that the example has once."""
    assert TEXT.count(text) == 1
    return TEXT[: TEXT.index(text)].count("\n") + 1


def prepared(plan: StepPlan, sizes: tuple[int, ...]) -> FakeRuntime:
    """A device whose projection has parameters of these sizes."""
    runtime = FakeRuntime()
    runtime.parameters["projection<1>"] = sizes
    Engine(runtime, [plan]).prepare(plan)
    return runtime


def test_arguments_of_the_kernels_number_and_sizes_pass() -> None:
    runtime = prepared(planned(), PROJECTION)
    assert runtime.library.parameters == {runtime.handles["projection<1>"]: PROJECTION}


@pytest.mark.parametrize(
    ("sizes", "parameters"),
    [(PROJECTION[:-1], "5 parameters"), ((*PROJECTION, 4), "7 parameters"), ((), "0 parameters")],
)
def test_a_wrong_number_names_the_list(sizes: tuple[int, ...], parameters: str) -> None:
    line = line_of('"@weight", "@normed"') - 1
    said = (
        f"m.toml:{line}: kernels.projection.arguments: kernel 'projection<1>' takes {parameters}, "
        "the manifest gives 6;"
    )
    with pytest.raises(ManifestError, match=re.escape(said)):
        prepared(planned(), sizes)


def test_a_scalar_of_another_size_is_named_where_it_stands() -> None:
    said = (
        f"m.toml:{line_of('i64 = ')}: kernels.projection.arguments[5].i64: i64 is 8 bytes, this "
        "parameter of kernel 'projection<1>' is 4;"
    )
    with pytest.raises(ManifestError, match=re.escape(said)):
        prepared(planned(), (*PROJECTION[:-1], 4))


def test_an_address_where_the_kernel_wants_a_number_is_named_by_its_place() -> None:
    said = (
        "kernels.projection.arguments[2]: the address of projected is 8 bytes, this parameter of "
        "kernel 'projection<1>' is 1;"
    )
    with pytest.raises(ManifestError, match=re.escape(said)):
        prepared(planned(), (8, 8, 1, 4, 4, 8))


def test_what_an_arm_passes_is_named_in_the_arm() -> None:
    plan = planned(
        ("[kernels.rms_norm.arms.WIDE_NORM]", "[kernels.rms_norm.arms.WIDE_NORM]\narguments = []"),
        ('inputs = ["residual"]\n', ""),
        ('outputs = ["normed"]\n', ""),
        arms=("WIDE_NORM",),
    )
    runtime = FakeRuntime()
    runtime.parameters["rms_norm"] = (8, 8, 4, 4)
    with pytest.raises(ManifestError, match=r"rms_norm\.arms\.WIDE_NORM\.arguments: .*gives 0"):
        Engine(runtime, [plan]).prepare(plan)
