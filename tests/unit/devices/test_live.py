import ctypes

import pytest

from geoaudit.devices.live import LIVE_SOURCE, live_devices, spec_from_attributes
from geoaudit.devices.table import find_device

# What the driver of an H200 answers.
H200 = {
    "max_threads_per_block": 1024,
    "shared_bytes_per_block": 49152,
    "threads_per_warp": 32,
    "registers_per_block": 65536,
    "sm_count": 132,
    "memory_clock_kilohertz": 3201000,
    "memory_bus_bits": 6016,
    "l2_bytes": 62914560,
    "max_threads_per_sm": 2048,
    "compute_capability_major": 9,
    "compute_capability_minor": 0,
    "shared_bytes_per_sm": 233472,
    "registers_per_sm": 65536,
    "shared_bytes_per_block_optin": 232448,
    "max_blocks_per_sm": 32,
    "shared_bytes_reserved_per_block": 1024,
}


def test_a_live_h200_equals_the_table_but_for_source_and_bandwidth() -> None:
    live, tabled = spec_from_attributes("NVIDIA H200", H200), find_device("H200")
    differing = {
        field
        for field in tabled.__dataclass_fields__
        if getattr(live, field) != getattr(tabled, field)
    }
    assert differing == {"sm_count_source", "memory_bytes_per_second"}
    assert live.sm_count_source == LIVE_SOURCE
    assert live.memory_bytes_per_second == pytest.approx(4.8e12, rel=0.01)


def test_a_capability_newer_than_the_table_takes_the_newest_allocation_units() -> None:
    newer = spec_from_attributes("NVIDIA R100", {**H200, "compute_capability_major": 13})
    assert newer.architecture == "13.0"
    assert (newer.register_allocation_unit, newer.shared_allocation_unit_bytes) == (256, 128)


def test_what_the_driver_does_not_know_is_none_and_never_zero() -> None:
    spec = spec_from_attributes("NVIDIA Thor", {**H200, "memory_clock_kilohertz": 0, "l2_bytes": 0})
    assert (spec.memory_bytes_per_second, spec.l2_bytes) == (None, None)


def test_no_driver_is_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> ctypes.CDLL:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr("geoaudit.devices.live.ctypes.CDLL", missing)
    assert live_devices() == ()


def test_the_machine_itself_is_asked_without_an_error() -> None:
    for spec in live_devices():
        assert spec.sm_count > 0
