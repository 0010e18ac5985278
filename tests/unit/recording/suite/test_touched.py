"""What a launch changes, and what the launches before it leave in the L2."""

from geoaudit.cli.shipped import shipped_manifest
from geoaudit.manifest.plan import plan
from geoaudit.manifest.planned import StepPlan
from geoaudit.manifest.reading import read_manifest
from geoaudit.manifest.settings import resolve_settings
from geoaudit.recording.suite.touched import changed_in_place, warm_inputs
from tests.unit.manifest.example_manifest import planned


def suite() -> StepPlan:
    manifest = read_manifest(shipped_manifest())
    return plan(manifest, resolve_settings(manifest))


def place(plan: StepPlan, kernel: str, layer: int) -> int:
    return next(
        index
        for index, one in enumerate(plan.launches)
        if (one.shape.kernel, one.layer) == (kernel, layer)
    )


def warm(plan: StepPlan, kernel: str, layer: int = 5) -> dict[str, int]:
    found = warm_inputs(plan, place(plan, kernel, layer))
    return {one.use.buffer: one.size_bytes for one in found}


def test_a_state_step_finds_its_vectors_warm_and_its_state_cold() -> None:
    token = suite()
    assert warm(token, "kda_decode_step") == {
        "query": 6144, "key": 6144, "value": 6144, "log_decay": 6144, "beta": 48,
    }  # fmt: skip


def test_of_a_cache_the_appended_row_is_warm() -> None:
    token = suite()
    found = warm(token, "mla_decode_split")
    assert found["latent_cache"] == 576 * 2
    assert found["query_latent"] == 12 * 512 * 4


def test_partial_results_are_warm_as_far_as_they_were_written() -> None:
    token = suite()
    # The buffer has room for eight times as many slices.
    assert warm(token, "mla_decode_combine")["mla_partial_sums"] == 128 * 12 * 514 * 4


def test_weights_are_cold_and_so_is_what_was_touched_long_ago() -> None:
    plan = planned()
    # A layer reads 12.8 MB of weights between two uses of nothing else.
    assert warm(plan, "rms_norm", 0) == {}
    assert warm(plan, "projection", 3) == {"normed": 28672}
    far = planned(("tp = 8", "tp = 1"))
    # 103 MB of weights lie between two norms of the residual.
    assert warm(far, "rms_norm", 3) == {}
    assert warm(plan, "rms_norm", 3) == {"residual": 28672}


def test_only_what_is_read_and_written_is_changed_in_place() -> None:
    token = suite()

    def changed(kernel: str) -> list[str]:
        launch = token.launches[place(token, kernel, 0)]
        return [use.buffer for use in changed_in_place(launch, token)]

    assert changed("kda_decode_step") == ["kda_state"]
    assert changed("residual_add") == ["residual"]
    assert changed("mla_append") == []
    assert changed("projection") == []


def test_without_declarations_all_but_weights_may_be_changed() -> None:
    plan = planned(
        ('inputs = ["weight", "normed"]\n', ""),
        ('outputs = ["projected"]\n', ""),
    )
    launch = plan.launches[1]
    assert [use.buffer for use in changed_in_place(launch, plan)] == ["normed", "projected"]
