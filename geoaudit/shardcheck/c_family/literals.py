"""Literals and types of C as written: numbers, characters, strings, names of scalar types."""

import re
from functools import lru_cache

from geoaudit.shardcheck.program.expressions import Expression, Number, Opaque, Operation, Real

_INTEGER = re.compile(
    r"(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<bin>[01]+)|(?P<oct>0[0-7]*)|(?P<dec>[1-9][0-9]*))"
    r"(?:[uUlLzZ]*)"
)
_FLOAT = re.compile(r"([0-9]*\.?[0-9]*(?:[eE][-+]?[0-9]+)?)[fFlLhH]*")
_QUALIFIERS = re.compile(
    r"\b(?:const|volatile|constexpr|static|inline|extern|register|typename|struct|class|enum|mutable"
    r"|__restrict__|__restrict|__shared__|__constant__|__device__|__host__)\b|&"
)
_SPACES = re.compile(r"\s+")
_SPACE_BESIDE_SIGN = re.compile(r" ?([*<>:]) ?| (?=[,)])")
_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11}

LARGEST_INTEGER = 2**64 - 1

SCALAR_BYTES = {
    "bool": 1, "char": 1, "signed char": 1, "unsigned char": 1, "int8_t": 1, "uint8_t": 1,
    "short": 2, "unsigned short": 2, "int16_t": 2, "uint16_t": 2, "half": 2, "__half": 2,
    "__nv_bfloat16": 2, "nv_bfloat16": 2, "__nv_fp8_e4m3": 1, "__nv_fp8_e5m2": 1,
    "int": 4, "unsigned": 4, "unsigned int": 4, "int32_t": 4, "uint32_t": 4, "float": 4,
    "half2": 4, "__half2": 4, "__nv_bfloat162": 4, "nv_bfloat162": 4,
    "long long": 8, "unsigned long long": 8, "int64_t": 8, "uint64_t": 8, "double": 8,
    "long": 8, "unsigned long": 8, "size_t": 8, "ssize_t": 8, "ptrdiff_t": 8, "uintptr_t": 8,
    "float2": 8, "int2": 8, "uint2": 8, "float4": 16, "int4": 16, "uint4": 16,
    "uint": 4, "uchar": 1, "ushort": 2, "ulong": 8, "long int": 8, "long long int": 8,
    "unsigned long int": 8, "unsigned long long int": 8, "intptr_t": 8,
}  # fmt: skip
INTEGER_TYPES = frozenset(SCALAR_BYTES) - {
    "half", "__half", "__nv_bfloat16", "nv_bfloat16", "__nv_fp8_e4m3", "__nv_fp8_e5m2",
    "half2", "__half2", "__nv_bfloat162", "nv_bfloat162", "float2", "int2", "uint2",
    "float4", "int4", "uint4", "float", "double",
}  # fmt: skip
FLOAT_TYPES = frozenset({"float", "double", "half", "__half"})


@lru_cache(maxsize=4096)
def number(text: str) -> Expression:
    """A literal: ``0x1Full``, ``1'000``, ``1e-5f``, ``017``."""
    plain = text.replace("'", "")
    if plain.startswith("-"):
        return Operation("-", (number(plain[1:].lstrip()),))
    match = _INTEGER.fullmatch(plain)
    if match:
        bases = {"hex": 16, "bin": 2, "oct": 8, "dec": 10}
        kind = match.lastgroup or "dec"
        value = int(match.group(kind), bases[kind])
        return Number(value) if value <= LARGEST_INTEGER else Opaque(text[:80])
    real = _FLOAT.fullmatch(plain)
    if real and real.group(1) not in {"", "."}:
        return Real(float(real.group(1)))
    return Opaque(text[:80])


def character(text: str) -> Expression:
    """A character literal as its number; what is not one character stays opaque."""
    inside = text.strip("LuU8")[1:-1]
    if len(inside) == 1:
        return Number(ord(inside))
    if len(inside) == 2 and inside[0] == "\\":
        return Number(_ESCAPES.get(inside[1], ord(inside[1])))
    return Opaque(text[:80])


@lru_cache(maxsize=8192)
def plain_type(text: str) -> str:
    """A type without qualifiers, ``&`` and ``std::``: ``vector<int>``."""
    plain = _QUALIFIERS.sub(" ", text.replace("\\\n", " ")).replace("std::", "")
    return _SPACE_BESIDE_SIGN.sub(r"\1", _SPACES.sub(" ", plain).strip())
