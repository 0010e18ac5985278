"""What a manifest does not declare of its kernels is read from their source."""

from dataclasses import replace
from pathlib import Path

from geoaudit.launches.declared import SourceLine, SplitOrigin, SplitProperties
from geoaudit.manifest.planned import StepPlan
from geoaudit.recording.suite.source_splits import splits_from_sources
from tests.unit.manifest.example_manifest import planned

SOURCE = """\
#include "scale.cuh"
extern "C" __global__ void projection(const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = SCALE * x[i];
}
"""


def plan_in(folder: Path) -> StepPlan:
    plan = planned()
    launches = tuple(
        replace(
            one,
            shape=replace(
                one.shape,
                module=replace(one.shape.module, file=str(folder / "kernels.cu")),
            ),
        )
        for one in plan.launches
    )
    return replace(plan, launches=launches)


def test_a_kernel_without_a_declared_split_is_looked_up(tmp_path: Path) -> None:
    (tmp_path / "kernels.cu").write_text(SOURCE)
    (tmp_path / "scale.cuh").write_text("constexpr float SCALE = 2.0f;\n")
    line = SourceLine(line=4)
    assert splits_from_sources(plan_in(tmp_path)) == {
        "projection": SplitProperties(
            cross_block_reduction=False,
            duplicated_reads=False,
            layout_change=False,
            from_source=SplitOrigin(
                axis="the lanes of a warp",
                cross_block_reduction=line,
                duplicated_reads=line,
                layout_change=line,
            ),
        )
    }


def test_why_it_cannot_be_told_is_kept(tmp_path: Path) -> None:
    (tmp_path / "kernels.cu").write_text(SOURCE)
    [found] = splits_from_sources(plan_in(tmp_path)).values()
    assert found.cross_block_reduction is None
    assert found.from_source is not None
    assert found.from_source.cross_block_reduction == SourceLine(
        line=4, reason="SCALE, which is not defined here"
    )


def test_without_a_file_nothing_is_said(tmp_path: Path) -> None:
    assert splits_from_sources(plan_in(tmp_path)) == {}
