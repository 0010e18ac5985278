"""Which arms reshape which launches of a step."""

from geoaudit.cli.shipped import shipped_manifest
from geoaudit.manifest.plan import plan
from geoaudit.manifest.reading import read_manifest
from geoaudit.manifest.settings import resolve_settings
from geoaudit.manifest.variants import Variants, reshaped_launches, reshaped_variants
from tests.unit.manifest.example_manifest import parsed, planned


def of_example(*arms: str, changes: tuple[tuple[str, str], ...] = ()) -> Variants:
    manifest = parsed(*changes)
    settings = resolve_settings(manifest, arms=arms)
    return reshaped_variants(manifest, settings, plan(manifest, settings))


def test_every_other_value_of_every_arm_is_tried_beside_those_that_are_on() -> None:
    assert list(of_example().plans) == ["WIDE_NORM=1", "ROWS_PER_BLOCK=4", "ROWS_PER_BLOCK=8"]
    under = of_example("ROWS_PER_BLOCK=4").plans
    assert list(under) == ["WIDE_NORM=1", "ROWS_PER_BLOCK=0", "ROWS_PER_BLOCK=8"]
    assert under["WIDE_NORM=1"].arms == {"WIDE_NORM": 1, "ROWS_PER_BLOCK": 4}


def test_an_arm_that_only_approximates_may_skip_work() -> None:
    approximate = (
        'class = "bit-identical"\nreason = "several',
        'class = "approximate"\nreason = "several',
    )
    assert list(of_example(changes=(approximate,)).plans) == ["WIDE_NORM=1"]


def test_an_arm_that_cannot_be_planned_is_told_and_left_out() -> None:
    broken = ('block = ["32 * warps"]', 'block = ["512 * warps"]')
    found = of_example(changes=(broken,))
    assert list(found.plans) == ["WIDE_NORM=1"]
    assert [text.partition(" ")[0] for text in found.refused] == [
        "ROWS_PER_BLOCK=4",
        "ROWS_PER_BLOCK=8",
    ]


def test_launches_are_matched_by_kernel_and_layer_where_their_shape_changes() -> None:
    # The last norm, over 896 elements, keeps its 128 threads.
    assert reshaped_launches(planned(), planned(arms=("WIDE_NORM",))) == {
        index: index for index in range(0, 12, 2)
    }


def test_a_launch_that_reads_less_does_less() -> None:
    told = 'bytes_read = "2 * rows * hidden + 4 * hidden"'
    less = (told, 'bytes_read = "2 * rows * hidden // (ROWS_PER_BLOCK or 1)"')
    unknown = (told, "")
    arms = ("ROWS_PER_BLOCK=8",)
    assert len(reshaped_launches(planned(), planned(arms=arms))) == 6
    assert len(reshaped_launches(planned(unknown), planned(unknown, arms=arms))) == 6
    assert reshaped_launches(planned(less), planned(less, arms=arms)) == {}


def test_the_suites_kernels_are_tried_in_the_shapes_of_their_arms() -> None:
    manifest = read_manifest(shipped_manifest())
    settings = resolve_settings(manifest)
    base = plan(manifest, settings)
    variants = reshaped_variants(manifest, settings, base)
    assert variants.refused == ()
    tried: dict[str, set[str]] = {}
    for setting, variant in variants.plans.items():
        for index in reshaped_launches(base, variant):
            tried.setdefault(base.launches[index].shape.kernel, set()).add(setting)
    assert tried["rms_norm"] == {"WIDE_NORM=1"}
    assert tried["kda_decode_step"] == {f"KDA_VALUE_TILE={tile}" for tile in (8, 16, 32)}
    assert tried["mla_decode_split"] == {"MLA_DERIVED_FLOOR=1"}
    assert "argmax" not in tried
    assert not any(setting.startswith(("PDL", "EXPERT_SKIP")) for setting in variants.plans)
