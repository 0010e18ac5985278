"""Resident blocks per SM: known answers, invariants, and what is reported as the limiter."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.devices.spec import DeviceSpec
from geoaudit.devices.table import architecture_limits, known_architectures
from geoaudit.geometry.occupancy import BlockResources, residency, warps_per_block
from tests.unit.geometry.capabilities import CAPABILITIES, KIB, device_of

RESOURCES = st.builds(
    BlockResources,
    threads=st.integers(1, 1024),
    registers_per_thread=st.integers(0, 255),
    shared_bytes=st.integers(0, 230 * KIB),
)
DEVICES = st.sampled_from(tuple(CAPABILITIES)).map(device_of)


def blocks(device: DeviceSpec, threads: int, registers: int, shared_bytes: int = 0) -> int:
    resources = BlockResources(
        threads=threads, registers_per_thread=registers, shared_bytes=shared_bytes
    )
    return residency(resources, device).blocks


def maxwell() -> DeviceSpec:
    """Compute capability 5.2: a block may have half the registers of an SM."""
    return replace(
        device_of("7.0"),
        architecture="5.2",
        registers_per_block=32 * KIB,
        shared_bytes_per_block_optin=48 * KIB,
    )


def test_registers_are_rounded_up_for_each_warp_and_sub_partition() -> None:
    # 96 registers x 32 lanes = 3072 a warp, 5 warps a sub-partition, 20 warps an SM, 7 a block.
    assert blocks(device_of("8.0"), threads=224, registers=92) == 2


def test_a_block_may_not_have_all_the_registers_of_an_sm_on_older_parts() -> None:
    # 85 registers are 2816 a warp: 5 warps a sub-partition, 10 a half of the SM, 4 a block.
    assert blocks(maxwell(), threads=128, registers=85) == 4
    assert blocks(maxwell(), threads=512, registers=85) == 0


@pytest.mark.parametrize(
    ("threads", "resident"),
    [(128, 12), (32, 24)],
    ids=["by threads, not by block slots", "by block slots: 48 would fit by threads"],
)
def test_1536_threads_per_sm(threads: int, resident: int) -> None:
    assert blocks(device_of("12.1"), threads=threads, registers=32) == resident


@pytest.mark.parametrize(
    ("threads", "registers", "shared_bytes", "culprit"),
    [
        (1025, 16, 0, "warps"),
        (512, 162, 0, "registers"),
        (288, 200, 0, "registers"),
        (32, 256, 0, "registers"),
        (32, 16, 227 * KIB + 1, "shared_memory"),
    ],
)
def test_an_impossible_launch_names_what_makes_it_so(
    threads: int, registers: int, shared_bytes: int, culprit: str
) -> None:
    resources = BlockResources(
        threads=threads, registers_per_thread=registers, shared_bytes=shared_bytes
    )
    held = residency(resources, device_of("9.0"))
    assert held.blocks == 0
    assert held.limiters[0] == "impossible"
    assert culprit in held.limiters


def test_the_largest_block_that_opts_in_fits() -> None:
    assert blocks(device_of("9.0"), threads=1024, registers=64, shared_bytes=227 * KIB) == 1


def test_barriers_limit_only_where_they_are_known() -> None:
    resources = BlockResources(threads=32, registers_per_thread=16, shared_bytes=0, barriers=7)
    assert residency(resources, device_of("9.0")).limiters == ("barriers",)
    assert residency(replace(resources, barriers=None), device_of("9.0")).limiters == ("blocks",)


def test_a_carve_out_counts_only_where_it_binds() -> None:
    resources = BlockResources(threads=128, registers_per_thread=32, shared_bytes=15 * KIB)
    smaller = replace(resources, shared_config_bytes=64 * KIB)
    assert residency(resources, device_of("9.0")).blocks == 14
    assert residency(smaller, device_of("9.0")).blocks == 4
    contradicting = replace(resources, shared_config_bytes=8 * KIB)
    assert residency(contradicting, device_of("9.0")).blocks == 14
    # Just enough for the 32 block slots: it ties with them, but nothing is held back by it.
    enough = BlockResources(
        threads=64, registers_per_thread=16, shared_bytes=0, shared_config_bytes=32 * KIB
    )
    assert residency(enough, device_of("9.0")).limiters == ("warps", "blocks")


@given(resources=RESOURCES, device=DEVICES)
def test_resident_blocks_never_exceed_what_an_sm_has(
    resources: BlockResources, device: DeviceSpec
) -> None:
    held = residency(resources, device).blocks
    assert held <= device.max_blocks_per_sm
    assert held * warps_per_block(resources.threads, device) <= device.max_warps_per_sm
    assert held * resources.threads * resources.registers_per_thread <= device.registers_per_sm
    assert held * resources.shared_bytes <= device.shared_bytes_per_sm


@given(resources=RESOURCES, device=DEVICES, more=st.integers(1, 64))
def test_resident_blocks_fall_as_a_block_takes_more(
    resources: BlockResources, device: DeviceSpec, more: int
) -> None:
    held = residency(resources, device).blocks
    registers = replace(resources, registers_per_thread=resources.registers_per_thread + more)
    shared = replace(resources, shared_bytes=resources.shared_bytes + 97 * more)
    threads = replace(resources, threads=resources.threads + more)
    for larger in (registers, shared, threads):
        assert residency(larger, device).blocks <= held


@given(resources=RESOURCES, device=DEVICES)
def test_the_limiters_are_those_that_bind(resources: BlockResources, device: DeviceSpec) -> None:
    held = residency(resources, device)
    limits = held.limits.by_limiter
    binding = [name for name, limit in limits.items() if limit == held.blocks]
    assert binding == [name for name in held.limiters if name != "impossible"]
    assert ("impossible" in held.limiters) == (held.blocks == 0)


@pytest.mark.parametrize("architecture", CAPABILITIES)
def test_the_device_table_has_the_same_limits(architecture: str) -> None:
    if architecture not in known_architectures():
        # The table need not know parts that were never sold; the formula does.
        assert architecture in ("7.2", "10.1")
        return
    limits = architecture_limits(architecture)
    of_the_table = limits.with_sms(name="a part", sm_count=132, sm_count_source="the test")
    assert replace(device_of(architecture), name="a part") == of_the_table
