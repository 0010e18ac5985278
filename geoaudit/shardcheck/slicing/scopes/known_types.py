"""Structures of the CUDA and HIP interfaces, and types by their names."""

import re
from functools import lru_cache

SEQUENCES = frozenset({"pair", "tuple", "array", "vector", "initializer_list", "auto"})
FIELDS: dict[str, tuple[str, ...]] = {
    "cudaLaunchConfig_t": (
        "gridDim",
        "blockDim",
        "dynamicSmemBytes",
        "stream",
        "attrs",
        "numAttrs",
    ),
    "cudaLaunchConfig_st": (
        "gridDim",
        "blockDim",
        "dynamicSmemBytes",
        "stream",
        "attrs",
        "numAttrs",
    ),
    "CUlaunchConfig": (
        "gridDimX",
        "gridDimY",
        "gridDimZ",
        "blockDimX",
        "blockDimY",
        "blockDimZ",
        "sharedMemBytes",
        "hStream",
        "attrs",
        "numAttrs",
    ),
    "hipLaunchConfig_t": (
        "gridDim",
        "blockDim",
        "dynamicSmemBytes",
        "stream",
        "attrs",
        "numAttrs",
    ),
}
FIELDS["ClusterLaunchParams"] = (
    "grid_dims",
    "block_dims",
    "cluster_dims",
    "smem_size_in_bytes",
    "cuda_stream",
)
FIELDS["HIP_LAUNCH_CONFIG"] = FIELDS["CUlaunchConfig"]
"""Fields in order, from the CUDA Runtime API (driver_types.h), the Driver API (cuda.h) and CUTLASS
(cutlass/cluster_launch.hpp)."""

_NUMBER = re.compile(
    r"^(unsigned|signed|int|long|short|char|bool|float|double|size_t|ssize_t|ptrdiff_t"
    r"|u?int\d+_t|index_t|Py_ssize_t|half|void|uint|ulong|dim_t)\b"
)
_OPTIONAL = re.compile(r"(?:typing\.)?Optional\[(.*)\]")
_CONSTANT = re.compile(r"(?:^|::)(?:Int|C|integral_constant)<(?:\s*\w+\s*,)?\s*(\d+)\s*>$")
_DROPPED = re.compile(r"\b(const|constexpr|static|volatile|struct|inline|mutable|typename)\b|[&*]")


@lru_cache(maxsize=65_536)
def bare(type: str) -> str:
    """A type without qualifiers, namespaces and template arguments: ``pair``.

    >>> bare("const std::pair<int, int>&"), bare("Optional[config.ModelConfig]"), bare("A | None")
    ('pair', 'ModelConfig', 'A')
    """
    text = _DROPPED.sub(" ", _OPTIONAL.sub(r"\1", type)).strip()
    text = text.partition("<")[0].partition("|")[0].strip()
    return text.rpartition("::")[2].rpartition(".")[2].strip("'\" ")


def is_number(type: str) -> bool:
    """Whether a bare type is one of numbers."""
    return bool(_NUMBER.match(type))


def constant_of(type: str) -> int | None:
    """The number that a type is: 2 of ``Int<2>``; None: it is none."""
    found = _CONSTANT.search(type)
    return int(found[1]) if found else None
