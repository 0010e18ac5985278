"""Memory of plans: allocated once, filled as the manifest says, states anew."""

import struct
from dataclasses import replace

import pytest

from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.manifest.plan import shared_buffers
from geoaudit.manifest.planned import BufferUse, PlannedBuffer
from geoaudit.recording.suite.device_memory import DeviceMemory
from geoaudit.recording.suite.filling import ENTRY, seed_of
from tests.unit.manifest.example_manifest import planned
from tests.unit.recording.suite.fake_device import FakeRuntime

BUFFERS = planned().buffers
"""residual (state), normed (scratch), weight (4 copies), projected (output)."""


def filled(runtime: FakeRuntime) -> list[tuple[int, int, int]]:
    """Address, elements and seed of each filling, in order."""
    return [
        tuple(struct.unpack("<Q", part)[0] for part in one.arguments[:3])
        for one in runtime.launches_of(ENTRY)
    ]


def of(kind: str) -> PlannedBuffer:
    (found,) = (buffer for buffer in BUFFERS if buffer.kind == kind)
    return found


def test_every_copy_has_memory_of_its_own_size() -> None:
    runtime = FakeRuntime()
    memory = DeviceMemory(runtime, BUFFERS)
    sizes = [buffer.bytes_per_copy for buffer in BUFFERS for _ in range(buffer.copies)]
    assert [one.size_bytes for one in runtime.allocations] == sizes
    weight = of("weight")
    addresses = {memory.address(BufferUse(buffer=weight.name, copy=n)) for n in range(4)}
    assert len(addresses) == 4
    assert runtime.launches_of(ENTRY) == []


def test_restoring_fills_every_copy_by_its_own_seed() -> None:
    runtime = FakeRuntime()
    memory = DeviceMemory(runtime, BUFFERS)
    memory.restore(BUFFERS)
    assert filled(runtime) == [
        (memory.address(BufferUse(buffer=b.name, copy=n)), b.elements, seed_of(b.name, n))
        for b in BUFFERS
        for n in range(b.copies)
    ]


def test_weights_are_filled_once_and_all_else_at_every_restoring() -> None:
    runtime = FakeRuntime()
    memory = DeviceMemory(runtime, BUFFERS)
    memory.restore(BUFFERS)
    runtime.library.launches.clear()
    memory.restore(BUFFERS)
    seeds = {seed for _, _, seed in filled(runtime)}
    assert seeds == {seed_of(b.name, 0) for b in BUFFERS if b.kind != "weight"}


@pytest.mark.parametrize(
    ("change", "is_filled"),
    [
        ({"init_figures": {"scale": 0.25}}, True),
        ({"copies": 3}, False),
        ({"elements": 128}, False),
    ],
)
def test_weights_are_filled_anew_only_where_they_would_hold_something_else(
    change: dict[str, object], is_filled: bool
) -> None:
    runtime = FakeRuntime()
    memory = DeviceMemory(runtime, BUFFERS)
    memory.restore(BUFFERS)
    runtime.library.launches.clear()
    changed = replace(of("weight"), **change)  # type: ignore[arg-type]
    memory.restore([changed])
    assert bool(filled(runtime)) is is_filled


def test_a_larger_weight_is_filled_though_a_smaller_one_was() -> None:
    weight = of("weight")
    runtime = FakeRuntime()
    memory = DeviceMemory(runtime, [weight])
    memory.restore([replace(weight, elements=64)])
    runtime.library.launches.clear()
    memory.restore([weight])
    assert {elements for _, elements, _ in filled(runtime)} == {weight.elements}


def test_memory_that_is_not_there_is_told_with_the_largest_buffer() -> None:
    with pytest.raises(NotMeasuredError, match=r"The largest is weight: 4 copies of .*--set"):
        DeviceMemory(FakeRuntime(free_bytes=1000), BUFFERS)


def test_a_plan_that_would_write_past_the_memory_is_refused() -> None:
    memory = DeviceMemory(FakeRuntime(), BUFFERS)
    memory.require(BUFFERS)
    larger = planned(assignments=("hidden=14336",))
    with pytest.raises(InputError, match="buffer residual is larger in this plan"):
        memory.require(larger.buffers)
    with pytest.raises(InputError, match="buffer weight is larger"):
        memory.require([replace(of("weight"), copies=5)])
    both = DeviceMemory(FakeRuntime(), shared_buffers([planned(), larger]))
    both.require(larger.buffers)
    both.require(BUFFERS)
