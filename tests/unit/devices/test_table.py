from collections import Counter
from dataclasses import fields

import pytest

from geoaudit.devices.spec import DeviceSpec
from geoaudit.devices.table import (
    all_devices,
    all_entries,
    architecture_limits,
    architecture_name,
    find_device,
    find_entry,
    known_architectures,
)
from geoaudit.errors import EXIT_USAGE, UnknownDeviceError

NOT_A_FIGURE = {"name", "vendor", "architecture", "sm_count_source", "usable_sm_count"}
FIGURES = {field.name for field in fields(DeviceSpec)} - NOT_A_FIGURE


@pytest.mark.parametrize(
    ("spelling", "name", "sm_count"),
    [
        ("NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3", 132),
        ("h100", "NVIDIA H100 80GB HBM3", 132),
        ("NVIDIA H100 PCIe", "NVIDIA H100 PCIe", 114),
        ("NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-40GB", 108),
        ("NVIDIA A100-PG509-200", "NVIDIA A100-SXM4-40GB", 108),
        ("NVIDIA A100 80GB PCIe MIG 1g.10gb", "NVIDIA A100 80GB PCIe", 108),
        ("Tesla V100-SXM2-16GB", "Tesla V100-SXM2-16GB", 80),
        ("tesla_v100_sxm2_32gb", "Tesla V100-SXM2-16GB", 80),
        ("T4", "Tesla T4", 40),
        ("NVIDIA GeForce RTX 3080", "NVIDIA GeForce RTX 3080", 68),
        ("RTX 5090", "NVIDIA GeForce RTX 5090", 170),
        ("NVIDIA H200", "NVIDIA H200", 132),
        ("B200", "NVIDIA B200", 148),
        ("NVIDIA GB10", "NVIDIA GB10", 48),
        ("NVIDIA Thor", "NVIDIA Thor", 20),
        ("AMD Instinct MI300X", "AMD Instinct MI300X", 304),
        ("AMD Instinct MI300X VF", "AMD Instinct MI300X", 304),
        ("AMD Instinct MI250X / MI250", "AMD Instinct MI250", 104),
        ("MI355X", "AMD Instinct MI355X", 256),
    ],
)
def test_a_device_is_found_by_each_of_its_spellings(
    spelling: str, name: str, sm_count: int
) -> None:
    spec = find_device(spelling)
    assert (spec.name, spec.sm_count) == (name, sm_count)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("NVIDIA H100 SXM6", "NVIDIA H100"), ("MI310X", "MI300X"), ("A1OO", "A100")],
)
def test_an_unknown_device_is_an_error_that_names_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(UnknownDeviceError) as raised:
        find_device(name)
    assert nearest in str(raised.value)
    assert "geoaudit devices" in str(raised.value)
    assert "--sms" in str(raised.value)
    assert raised.value.exit_code == EXIT_USAGE


def test_a_cut_down_variant_is_not_taken_for_the_full_device() -> None:
    # A laptop's RTX 3080 has 48 SMs, not 68.
    with pytest.raises(UnknownDeviceError):
        find_device("NVIDIA GeForce RTX 3080 Laptop GPU")


@pytest.mark.parametrize("name", ["", "   ", "\x1b[31m", "x" * 5000, "NVIDIA"])
def test_names_that_are_none_are_refused_without_a_traceback(name: str) -> None:
    with pytest.raises(UnknownDeviceError) as raised:
        find_device(name)
    assert len(str(raised.value)) < 600


def test_no_two_devices_share_a_spelling() -> None:
    spellings = Counter(
        spelling.lower()
        for entry in all_entries()
        for spelling in {entry.spec.name, *entry.aliases}
    )
    assert [spelling for spelling, count in spellings.items() if count > 1] == []
    for entry in all_entries():
        for spelling in (entry.spec.name, *entry.aliases):
            assert find_device(spelling).name == entry.spec.name, spelling


@pytest.mark.parametrize("entry", all_entries(), ids=lambda entry: entry.spec.name)
def test_every_figure_has_its_source(entry: object) -> None:
    assert isinstance(entry, type(all_entries()[0]))
    assert set(entry.sources) == FIGURES
    for field in FIGURES:
        unknown = getattr(entry.spec, field) is None
        assert entry.sources[field].startswith("not known: ") == unknown, field
    assert entry.spec.sm_count_source.startswith("device table: ")


@pytest.mark.parametrize("spec", all_devices(), ids=lambda spec: spec.name)
def test_limits_of_a_device_fit_each_other(spec: DeviceSpec) -> None:
    assert spec.max_warps_per_sm * spec.threads_per_warp == spec.max_threads_per_sm
    assert spec.shared_bytes_per_block <= spec.shared_bytes_per_block_optin
    assert (
        spec.shared_bytes_per_block_optin + spec.shared_bytes_reserved_per_block
        == spec.shared_bytes_per_sm
    )
    assert spec.usable_sms == spec.sm_count > 0
    assert spec.l2_bytes is None or 4 * 2**20 <= spec.l2_bytes < 2**28
    assert spec.memory_bytes_per_second is None or 1e11 < spec.memory_bytes_per_second < 2e13


def test_every_architecture_that_is_asked_for_is_known() -> None:
    assert known_architectures() == (
        *("7.0", "7.2", "7.5", "8.0", "8.6", "8.7", "8.9", "9.0"),
        *("10.0", "10.1", "10.3", "11.0", "12.0", "12.1"),
        *("gfx90a", "gfx942", "gfx950"),
    )


def test_a_device_outside_the_table_is_built_from_its_architecture() -> None:
    spec = architecture_limits("8.9").with_sms(
        name="NVIDIA GeForce RTX 4070", sm_count=46, sm_count_source="deviceProperties.numSms"
    )
    assert (spec.sm_count, spec.max_blocks_per_sm, spec.max_threads_per_sm) == (46, 24, 1536)
    assert spec.l2_bytes is None


def test_an_unknown_architecture_is_an_error() -> None:
    with pytest.raises(UnknownDeviceError, match=r"6\.1.*--device"):
        architecture_limits("6.1")


@pytest.mark.parametrize(
    ("spelling", "threads_per_warp", "name", "expected"),
    [
        ("9.0", 32, None, "9.0"),
        ("9.0", 64, None, "gfx90a"),
        ("9.0", None, "AMD Instinct MI250", "gfx90a"),
        ("9.4", 64, "", "gfx942"),
        ("9.5", 64, None, "gfx950"),
        ("gfx90a:sramecc+:xnack-", 64, None, "gfx90a"),
        ("90", None, None, "9.0"),
        ("sm_103a", None, None, "10.3"),
        ("120", None, None, "12.0"),
        ("nonsense", None, None, "nonsense"),
    ],
)
def test_architecture_spellings(
    spelling: str, threads_per_warp: int | None, name: str | None, expected: str
) -> None:
    assert architecture_name(spelling, threads_per_warp=threads_per_warp, name=name) == expected


def test_the_h200_is_what_its_driver_says() -> None:
    spec = find_entry("H200").spec
    assert spec.sm_count == 132
    assert spec.shared_bytes_per_sm == 233472
    assert spec.shared_bytes_per_block_optin == 232448
    assert spec.l2_bytes == 62914560
