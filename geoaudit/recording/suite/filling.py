"""How a buffer is filled: the launch of fill.cu, which depends on the buffer's name alone."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from geoaudit.manifest.location import Location
from geoaudit.manifest.model import InitKind
from geoaudit.manifest.planned import (
    Argument,
    BufferUse,
    Module,
    ModuleKey,
    PlannedBuffer,
    Scalar,
)

ENTRY = "geoaudit_fill"
SOURCE = Path(__file__).with_name("fill.cu")
MODULE = Module(
    key=ModuleKey(kind="source", file=str(SOURCE), options=("-std=c++17",), defines=()),
    entries=(ENTRY,),
)
BLOCK = 256
MOST_BLOCKS = 4096

# The order of enum Type and the numbers of enum Rule in fill.cu.
TYPES = ("f64", "f32", "f16", "bf16", "i64", "u64", "i32", "u32", "i8", "u8")
CONSTANT, NORMAL, UNIFORM, IOTA = range(4)

SUM_DEVIATION = math.sqrt((2.0**32 - 1) / 3)
"""Standard deviation of the sum of four uniform 16-bit numbers: each has (2^32 - 1) / 12."""

_HERE = Location(file=str(SOURCE), line=0, key="")


@dataclass(frozen=True, kw_only=True)
class Filling:
    """What fill.cu is told of one buffer.

    Attributes:
        type: index of the data type in TYPES.
        rule: CONSTANT, NORMAL, UNIFORM or IOTA.
        offset: added to every number.
        factor: multiplied with every random number before.
    """

    type: int
    rule: int
    offset: float = 0.0
    factor: float = 0.0


def filling_of(buffer: PlannedBuffer) -> Filling:
    """The filling that the manifest asks for."""
    rule, offset, factor = _rule(buffer.init, buffer.init_figures)
    return Filling(type=TYPES.index(buffer.dtype), rule=rule, offset=offset, factor=factor)


def seed_of(buffer: str, copy: int) -> int:
    """The seed of a copy of a buffer, 64 bits: of its name, not of its place in a manifest."""
    digest = hashlib.blake2b(f"{buffer}#{copy}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def fill_arguments(buffer: PlannedBuffer, copy: int) -> tuple[Argument, ...]:
    """The arguments of the launch that fills a copy of a buffer."""
    filling = filling_of(buffer)
    return (
        BufferUse(buffer=buffer.name, copy=copy),
        _scalar("u64", buffer.elements),
        _scalar("u64", seed_of(buffer.name, copy)),
        _scalar("i32", filling.type),
        _scalar("i32", filling.rule),
        _scalar("f64", filling.offset),
        _scalar("f64", filling.factor),
    )


def _rule(init: InitKind, figures: Mapping[str, float]) -> tuple[int, float, float]:
    if init == "normal":
        return NORMAL, 0.0, figures["scale"] / SUM_DEVIATION
    if init == "uniform":
        return UNIFORM, figures["low"], figures["high"] - figures["low"]
    if init == "iota":
        return IOTA, 0.0, 0.0
    return CONSTANT, {"zeros": 0.0, "ones": 1.0}.get(init, figures.get("value", 0.0)), 0.0


def _scalar(dtype: str, value: float) -> Scalar:
    return Scalar(dtype=dtype, value=value, formula=None, location=_HERE)
