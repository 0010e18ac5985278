"""Buffers are filled with what the manifest says, or the manifest is told that they cannot be."""

import pytest

from geoaudit.devices.table import all_devices
from geoaudit.manifest.launch_shapes import MOST_SHARED_BYTES
from geoaudit.manifest.location import ManifestError
from tests.unit.manifest.example_manifest import planned

NORMED = '[buffers.normed]\ndtype = "f32"\nelements = "hidden"\ninit = "zeros"\n'


def filled(dtype: str, init: str, *, elements: object = 4096) -> None:
    text = f'[buffers.normed]\ndtype = "{dtype}"\nelements = {elements}\n{init}\n'
    planned((NORMED, text))


@pytest.mark.parametrize(
    ("dtype", "init", "told"),
    [
        ("u8", 'init = "constant"\nvalue = 1e9', ".value: is 1000000000.0, beyond u8; choose a"),
        ("i32", 'init = "constant"\nvalue = 1.5', ".value: is 1.5, but i32 holds whole numbers"),
        ("u64", 'init = "constant"\nvalue = -1', ".value: is -1, beyond u64; choose a larger type"),
        ("f16", 'init = "constant"\nvalue = 1e5', ".value: is 100000.0, beyond f16; choose a"),
        ("u8", 'init = "iota"', ".elements: is 4095, beyond u8; choose a larger type"),
        ("f32", 'init = "uniform"\nlow = 2\nhigh = 1', ".high: low is 2 and high 1; write"),
        ("f32", 'init = "uniform"\nlow = 1', ": low is 1 and high 1.0; write high"),
        ("u8", 'init = "uniform"\nlow = -1\nhigh = 9', ".low: is -1, beyond u8; choose a larger"),
        (
            "u8",
            'init = "uniform"\nlow = 0\nhigh = 257',
            ".high: is 256, beyond u8; choose a larger",
        ),
        ("i8", 'init = "uniform"\nhigh = 1.5', ".high: is 0.5, but i8 holds whole numbers"),
        ("f32", 'init = "normal"\nscale = 0', ".scale: is 0, but a standard deviation is above 0"),
        ("f32", 'init = "normal"\nscale = -1', ".scale: is -1, but a standard deviation is above"),
        ("f32", 'init = "normal"\nscale = 1e39', ".scale: is 1e+39, beyond f32; choose a larger"),
    ],
)
def test_a_filling_that_the_type_does_not_hold_is_told(dtype: str, init: str, told: str) -> None:
    with pytest.raises(ManifestError, match=r"^m.toml:\d+: buffers.normed") as raised:
        filled(dtype, init)
    assert f"buffers.normed{told}" in str(raised.value)


@pytest.mark.parametrize(
    ("dtype", "init"),
    [
        ("u8", 'init = "constant"\nvalue = 255'),
        ("i32", 'init = "constant"\nvalue = 2.0'),
        ("u64", 'init = "constant"\nvalue = "2 ** 63"'),
        ("u8", 'init = "uniform"\nhigh = 256'),
        ("i8", 'init = "uniform"\nlow = -128\nhigh = 128'),
        ("f16", 'init = "iota"'),
        ("bf16", 'init = "normal"'),
    ],
)
def test_a_filling_up_to_the_ends_of_the_type_is_none(dtype: str, init: str) -> None:
    filled(dtype, init)


@pytest.mark.parametrize("size", ['"2 ** 62"', '"2 ** 40"\ncopies = "2 ** 40"'])
def test_more_memory_than_any_device_has_is_told(size: str) -> None:
    with pytest.raises(ManifestError, match=r"^m.toml:\d+: buffers.normed.elements: .*no device"):
        filled("f32", 'init = "zeros"', elements=size)


def test_no_known_device_gives_a_block_more_shared_memory() -> None:
    known = [device.shared_bytes_per_block_optin for device in all_devices()]
    assert max(known) == MOST_SHARED_BYTES


def test_more_shared_memory_than_any_device_has_is_told() -> None:
    block = "block = [128]\n"
    planned((block, f"{block}shared_bytes = {MOST_SHARED_BYTES}\n"))
    with pytest.raises(ManifestError, match="shared_bytes: is 232449, not within 0 to 232448"):
        planned((block, f"{block}shared_bytes = {MOST_SHARED_BYTES + 1}\n"))
