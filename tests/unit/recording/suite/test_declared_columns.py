"""What a manifest declares, beside the launches of its tokens."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from geoaudit.launches import schema as s
from geoaudit.launches.declared import DeclaredKernel, SplitProperties
from geoaudit.launches.recording import Metadata, Recording, TokenOptions
from geoaudit.launches.table import build_launches
from geoaudit.launches.tokens import segment
from geoaudit.manifest.planned import PlannedLaunch, StepPlan
from geoaudit.recording.suite.declared_columns import with_declared
from tests.unit.manifest.example_manifest import planned

COLUMNS = [s.COMPULSORY_BYTES, s.WORKING_THREADS, s.BYTES_IN_FLIGHT_PER_THREAD]


def recorded(plan: StepPlan, tokens: Sequence[Sequence[PlannedLaunch]]) -> Recording:
    """These tokens, each launch as planned, behind a copy."""
    rows: list[dict[str, object]] = [
        {s.KIND: s.KIND_COPY, s.KERNEL: "Memcpy DtoD", s.COPY_BYTES: 4}
    ]
    for number, token in enumerate(tokens):
        for launch in token:
            shape = launch.shape
            rows.append(
                {
                    s.KIND: s.KIND_KERNEL,
                    s.KERNEL: shape.entry.partition("<")[0],
                    **dict(zip(s.GRID, shape.grid, strict=True)),
                    **dict(zip(s.BLOCK, shape.block, strict=True)),
                    s.RANGES: f"decode#{number}",
                }
            )
    table = pd.DataFrame(rows)
    launches = build_launches(
        {
            **{name: table[name] for name in table},
            s.KERNEL_SHORT: table[s.KERNEL],
            s.DEVICE: [0] * len(rows),
            s.START_NS: range(0, 100 * len(rows), 100),
            s.DURATION_NS: [50] * len(rows),
        }
    )
    metadata = Metadata(instrument="cupti", source_format="geoaudit", source_name="t")
    cut = segment(launches, TokenOptions(token_range="decode")).launches
    return Recording(launches=cut, metadata=metadata)


def test_every_launch_of_a_token_has_what_its_shape_declares() -> None:
    plan = planned(arms=("WIDE_NORM",))
    found = with_declared(recorded(plan, [plan.launches] * 3), plan)
    kernels = found.launches[found.launches[s.KIND] == s.KIND_KERNEL]
    expected = [
        (
            None
            if one.shape.bytes_read is None
            else one.shape.bytes_read + (one.shape.bytes_written or 0),
            one.shape.working_threads,
            one.shape.bytes_in_flight_per_thread,
        )
        for one in plan.launches
    ] * 3
    assert len(expected) == 3 * 13
    plain = kernels[COLUMNS].astype("object").where(kernels[COLUMNS].notna(), None)
    assert [tuple(row) for row in plain.to_numpy().tolist()] == expected
    copies = found.launches[found.launches[s.KIND] == s.KIND_COPY]
    assert copies[COLUMNS].isna().all().all()


def test_the_norm_of_the_example_reads_and_writes_its_width() -> None:
    plan = planned()
    first = with_declared(recorded(plan, [plan.launches] * 3), plan).launches.iloc[1]
    assert first[s.COMPULSORY_BYTES] == 2 * 4 * 7168
    assert (first[s.WORKING_THREADS], first[s.BYTES_IN_FLIGHT_PER_THREAD]) == (128, 4)


def test_kernels_are_declared_by_the_names_of_the_table() -> None:
    plan = planned()
    declared = with_declared(recorded(plan, [plan.launches] * 3), plan).metadata.declared
    assert declared == (
        DeclaredKernel(
            kernel_short="rms_norm",
            split=SplitProperties(
                cross_block_reduction=True, duplicated_reads=False, layout_change=False
            ),
            source="kernels.cu",
        ),
        DeclaredKernel(kernel_short="projection", source="kernels.cu"),
    )


def test_a_source_speaks_where_the_manifest_does_not() -> None:
    plan = planned()
    told = SplitProperties(cross_block_reduction=True)
    splits = {"rms_norm": told, "projection": told}
    found = with_declared(recorded(plan, [plan.launches] * 3), plan, splits).metadata.declared
    assert [one.split == told for one in found] == [False, True]


def test_kernels_that_share_a_name_say_what_they_agree_on() -> None:
    plan = planned()
    made = recorded(plan, [plan.launches] * 3)
    renamed = made.launches.assign(
        **{
            name: made.launches[name].astype("str").replace("projection", "rms_norm")
            for name in (s.KERNEL, s.KERNEL_SHORT)
        }
    ).astype({s.KERNEL: "category", s.KERNEL_SHORT: "category"})
    declared = with_declared(replace(made, launches=renamed), plan).metadata.declared
    assert declared == (DeclaredKernel(kernel_short="rms_norm", source="kernels.cu"),)


def test_a_token_that_is_not_the_plans_stays_null() -> None:
    plan = planned()
    short = recorded(plan, [plan.launches[:-1]] * 3)
    assert with_declared(short, plan) is short
    other = replace(plan.launches[0].shape, grid=(7, 1, 1))
    reshaped = (replace(plan.launches[0], shape=other), *plan.launches[1:])
    found = with_declared(recorded(plan, [plan.launches, reshaped, plan.launches]), plan)
    by_token = found.launches.groupby(s.TOKEN)[s.COMPULSORY_BYTES].count()
    assert by_token.tolist() == [13, 0, 13]
