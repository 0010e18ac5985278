"""Sums over the ranks of a group, by NCCL."""

# ruff: noqa: ANN401 - CuPy is untyped

import ctypes
import importlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from geoaudit.errors import NotMeasuredError
from geoaudit.recording.suite.presence import cuda_major

PATIENCE_S = 120.0
"""How long a rank waits for rank 0, which may still load CUDA."""
_POLL_S = 0.01


class Communicator(Protocol):
    """Sums buffers over the ranks of a group."""

    def all_reduce(self, address: int, elements: int, dtype: str, stream: int) -> None:
        """Sum in place, on a stream, and wait for nothing."""


class NcclCommunicator:
    """A communicator of NCCL, on CuPy's current device."""

    def __init__(self, rank: int, ranks: int, meeting: Path) -> None:
        """Meet the other ranks.

        Args:
            rank: of this process, from 0.
            ranks: of the group.
            meeting: file by which rank 0 tells the others its address.

        Raises:
            NotMeasuredError: CuPy has no NCCL, rank 0 does not come, or NCCL refuses, as it does
                where two ranks are on one device.
        """
        self._nccl = _import_nccl()
        self._types = {
            name: getattr(self._nccl, f"NCCL_{spelled}")
            for name, spelled in {
                "f64": "FLOAT64", "f32": "FLOAT32", "f16": "FLOAT16", "bf16": "BFLOAT16",
                "i64": "INT64", "u64": "UINT64", "i32": "INT32", "u32": "UINT32",
                "i8": "INT8", "u8": "UINT8",
            }.items()
            if hasattr(self._nccl, f"NCCL_{spelled}")
        }  # fmt: skip
        with self._refusals(f"rank {rank} of {ranks} meets the others"):
            if rank == 0:
                _tell(meeting, self._nccl.get_unique_id())
            self._communicator: Any = self._nccl.NcclCommunicator(ranks, _heard(meeting), rank)
        # Never destroyed: that waits for the other ranks, which may be waiting for a sum of this
        # one, so that a rank which fails alone would not end.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._communicator))

    def all_reduce(self, address: int, elements: int, dtype: str, stream: int) -> None:
        """Sum over the group, in place.

        Args:
            address: on the device.
            elements: how many.
            dtype: of a manifest's buffer.
            stream: the driver's handle.

        Raises:
            NotMeasuredError: NCCL refuses, or has no such type.
        """
        if dtype not in self._types:
            raise NotMeasuredError(f"CuPy's NCCL sums no {dtype}: reduce a buffer of another type.")
        with self._refusals("an all-reduce"):
            self._communicator.allReduce(
                address, address, elements, self._types[dtype], self._nccl.NCCL_SUM, stream
            )

    @contextmanager
    def _refusals(self, what: str) -> Iterator[None]:
        try:
            yield
        except self._nccl.NcclError as error:
            raise NotMeasuredError(
                f"{what}: NCCL refuses: {error}. NCCL_DEBUG=WARN in the environment makes it say "
                "more."
            ) from error


def _tell(meeting: Path, identifier: object) -> None:
    """Write in one step: a reader finds all of it or nothing."""
    if not isinstance(identifier, bytes):
        raise NotMeasuredError(
            "sums over ranks need CuPy 14 or newer: pip install --upgrade "
            f"cupy-cuda{cuda_major() or 13}x."
        )
    unfinished = meeting.with_name("unfinished")
    unfinished.write_bytes(identifier)
    unfinished.rename(meeting)


def _heard(meeting: Path) -> bytes:
    start_s = time.monotonic()
    while not meeting.exists():
        if time.monotonic() - start_s > PATIENCE_S:
            raise NotMeasuredError(f"rank 0 did not come within {PATIENCE_S:g} s.")
        time.sleep(_POLL_S)
    return meeting.read_bytes()


def _import_nccl() -> Any:
    try:
        nccl = importlib.import_module("cupy.cuda.nccl")
    except ImportError as error:
        raise NotMeasuredError(f"CuPy cannot load NCCL: {error}. {_remedy()}") from error
    if not nccl.available:
        raise NotMeasuredError(f"CuPy finds no NCCL (libnccl.so.2). {_remedy()}")
    return nccl


def _remedy() -> str:
    return f"Install it: pip install nvidia-nccl-cu{cuda_major() or 13}"
