"""Arguments, packed where the driver reads them."""

import ctypes
import struct

import pytest

from geoaudit.manifest.location import Location
from geoaudit.manifest.planned import Argument, BufferUse, Scalar
from geoaudit.recording.suite.arguments import PackedArguments
from tests.unit.manifest.example_manifest import planned

HERE = Location(file="m.toml", line=1, key="k")
ADDRESS = 0x7F00_1234_5600


def scalar(dtype: str, value: float) -> Scalar:
    return Scalar(dtype=dtype, value=value, formula=None, location=HERE)


def packed(*arguments: Argument) -> PackedArguments:
    return PackedArguments(arguments, lambda use: ADDRESS + use.copy)


def read(packed_arguments: PackedArguments, place: int, size: int) -> bytes:
    pointer = packed_arguments.pointers[place]
    assert pointer is not None
    return ctypes.string_at(pointer, size)


@pytest.mark.parametrize(
    ("dtype", "value", "layout"),
    [
        ("i8", -2, "<b"), ("u8", 254, "<B"), ("i32", -3, "<i"), ("u32", 2**32 - 1, "<I"),
        ("i64", -(2**63), "<q"), ("u64", 2**64 - 1, "<Q"), ("f32", 0.1, "<f"), ("f64", 0.1, "<d"),
    ],
)  # fmt: skip
def test_scalars_have_the_bytes_of_their_type(dtype: str, value: float, layout: str) -> None:
    expected = struct.pack(layout, value)
    assert read(packed(scalar(dtype, value)), 0, len(expected)) == expected


def test_buffers_are_passed_by_their_address_and_the_order_is_kept() -> None:
    arguments = packed(scalar("i32", 5), BufferUse(buffer="x", copy=3), scalar("f32", 1.0))
    assert read(arguments, 0, 4) == struct.pack("<i", 5)
    assert read(arguments, 1, 8) == struct.pack("<Q", ADDRESS + 3)
    assert read(arguments, 2, 4) == struct.pack("<f", 1.0)
    assert not arguments.depends_on_token


def test_a_kernel_without_arguments_has_an_array_all_the_same() -> None:
    assert len(packed().pointers) == 1


def test_a_scalar_of_the_token_is_worked_out_anew_in_its_place() -> None:
    # The example's projection takes `position`, which is context + token.
    projection = planned().launches[1]
    arguments = PackedArguments(projection.arguments, lambda use: 0)
    place = len(projection.arguments) - 1
    pointers = list(arguments.pointers)
    assert arguments.depends_on_token
    assert read(arguments, place, 8) == struct.pack("<q", 4096)
    arguments.set_token(9)
    assert read(arguments, place, 8) == struct.pack("<q", 4105)
    assert list(arguments.pointers) == pointers
