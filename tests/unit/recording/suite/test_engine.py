"""Plans on a device: launches in order, ranges around them, as a graph."""

import struct
from functools import partial

import pytest

from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.manifest.location import ManifestError
from geoaudit.manifest.planned import StepPlan
from geoaudit.recording.suite.captured_token import CapturedToken
from geoaudit.recording.suite.engine import Engine
from geoaudit.recording.suite.filling import MODULE
from geoaudit.recording.suite.prepared_token import PreparedToken
from tests.unit.manifest.example_manifest import planned
from tests.unit.recording.suite.fake_device import (
    EXECUTABLE,
    GRAPH,
    STREAM,
    FakeRanges,
    FakeRuntime,
)

# The example without its scalar that follows the token.
FIXED = ('position = "context + token"', 'position = "context"')


def prepared(plan: StepPlan) -> tuple[FakeRuntime, Engine, PreparedToken]:
    runtime = FakeRuntime()
    engine = Engine(runtime, [plan])
    return runtime, engine, engine.prepare(plan)


def test_a_token_is_launched_as_planned_and_in_order() -> None:
    plan = planned()
    runtime, _, token = prepared(plan)
    token.launch(0)
    assert runtime.entries() == [one.shape.entry for one in plan.launches]
    assert [one.grid for one in runtime.library.launches] == [
        one.shape.grid for one in plan.launches
    ]
    assert [one.block for one in runtime.library.launches] == [
        one.shape.block for one in plan.launches
    ]
    assert {one.stream for one in runtime.library.launches} == {STREAM}


def test_an_arm_is_launched_in_its_own_shape() -> None:
    plan = planned(arms=("WIDE_NORM",))
    runtime, _, token = prepared(plan)
    token.launch(0)
    norms = runtime.launches_of("rms_norm")
    assert {one.block[0] for one in norms} == {128, 1024}


def test_buffers_rotate_and_scalars_follow_the_token() -> None:
    plan = planned()
    runtime, engine, token = prepared(plan)
    entry = plan.launches[1].shape.entry
    runtime.library.argument_counts[runtime.handles[entry]] = 6
    token.launch(0)
    token.launch(3)
    launches = runtime.launches_of(entry)
    weights = [struct.unpack("<Q", one.arguments[0])[0] for one in launches]
    positions = [struct.unpack("<q", one.arguments[5])[0] for one in launches]
    assert weights[:6] == weights[6:]
    assert len(set(weights)) == 4
    assert weights[0] == weights[4]
    assert positions == [4096] * 6 + [4099] * 6


def noted(ranges: FakeRanges, name: str, *_: object, **__: object) -> None:
    """Note a launch between the ranges."""
    ranges.events.append(name)


def test_ranges_stand_around_their_launches() -> None:
    plan = planned()
    _, _, token = prepared(plan)
    ranges = FakeRanges()
    for launch in token.launches:
        object.__setattr__(launch, "noted", partial(noted, ranges, launch.kernel.name))
    token.launch_noted(0, ranges)
    entry = plan.launches[1].shape.entry
    layer = ["+layer", "rms_norm", entry, "-"]
    assert ranges.events == ["+decode", *layer * 6, "rms_norm", "-"]


def test_modules_are_loaded_once_and_new_instances_added() -> None:
    plan, other = planned(), planned(arms=("ROWS_PER_BLOCK=8",))
    runtime = FakeRuntime()
    engine = Engine(runtime, [plan, other])
    for one in (plan, plan, other, other):
        engine.prepare(one)
    loaded = [module.entries for module in runtime.loaded if module != MODULE]
    assert loaded == [("projection<1>", "rms_norm"), ("projection<8>",)]


def test_shared_memory_beyond_48_kb_is_asked_for_and_never_taken_back() -> None:
    def sized(size: int) -> StepPlan:
        return planned(
            ('grid = ["cdiv(rows, warps)"]', f'grid = ["cdiv(rows, warps)"]\nshared_bytes = {size}')
        )

    runtime = FakeRuntime()
    engine = Engine(runtime, [sized(0)])
    for size, limit in ((48 << 10, 48 << 10), (100_000, 100_000), (60_000, 100_000)):
        token = engine.prepare(sized(size))
        token.launch(0)
        handle = runtime.handles["projection<1>"]
        assert runtime.library.limits.get(handle, 48 << 10) == limit
        assert runtime.launches_of("projection<1>")[-1].shared_bytes == size


def test_programmatic_launches_and_clusters_reach_the_driver() -> None:
    plan = planned(
        (
            'grid = ["cdiv(rows, warps)"]',
            'grid = ["cdiv(rows, warps)"]\ncluster = [2]\nprogrammatic_launch = true',
        )
    )
    runtime, _, token = prepared(plan)
    token.launch(0)
    assert runtime.launches_of("projection<1>")[0].attributes == {4: (2, 1, 1), 6: (1,)}
    assert runtime.launches_of("rms_norm")[0].attributes == {}


def test_restoring_waits_before_anything_is_launched() -> None:
    plan = planned()
    runtime, engine, _ = prepared(plan)
    engine.restore(plan)
    assert runtime.library.calls[-1] == ("cuStreamSynchronize", STREAM)
    runtime.library.status = {"cuStreamSynchronize": 700}
    with pytest.raises(NotMeasuredError, match="ILLEGAL_ADDRESS"):
        engine.restore(plan)


def test_a_larger_plan_than_the_memory_is_refused() -> None:
    _, engine, _ = prepared(planned())
    with pytest.raises(InputError, match="larger in this plan"):
        engine.prepare(planned(assignments=("hidden=14336",)))
    with pytest.raises(InputError, match="larger in this plan"):
        engine.restore(planned(assignments=("hidden=14336",)))


def test_a_token_is_captured_once_and_replayed() -> None:
    runtime, engine, token = prepared(planned(FIXED))
    with engine.capture(token) as captured:
        captured.replay()
        captured.replay()
    kinds = ("cuLaunchKernelEx", "cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphLaunch")
    names = runtime.library.names(*kinds, "cuGraphExecDestroy")
    launches = ["cuLaunchKernelEx"] * len(token.launches)
    assert names == [
        "cuStreamBeginCapture", *launches, "cuStreamEndCapture", "cuGraphLaunch", "cuGraphLaunch",
        "cuGraphExecDestroy",
    ]  # fmt: skip
    assert runtime.library.calls[-1] == ("cuGraphExecDestroy", EXECUTABLE)
    assert ("cuGraphDestroy", GRAPH) in runtime.library.calls


def test_a_scalar_of_the_token_refuses_a_graph_by_its_place() -> None:
    runtime, engine, token = prepared(planned())
    with pytest.raises(ManifestError, match=r"m\.toml:\d+: kernels\.projection\.arguments\[5\]"):
        engine.capture(token)
    assert runtime.library.names("cuStreamBeginCapture") == []


def test_a_refused_launch_ends_the_capture_and_is_what_is_told() -> None:
    runtime, engine, token = prepared(planned(FIXED))
    runtime.library.status = {"cuLaunchKernelEx": 1, "cuStreamEndCapture": 700}
    with pytest.raises(NotMeasuredError, match="launching rms_norm"):
        CapturedToken(engine.runtime.driver, token)
    assert runtime.library.names("cuStreamEndCapture") == ["cuStreamEndCapture"]
