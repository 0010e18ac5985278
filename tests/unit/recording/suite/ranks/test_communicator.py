"""Meeting the other ranks, and what NCCL is asked for."""

import gc
import sys
import threading
import weakref
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from geoaudit.errors import NotMeasuredError
from geoaudit.recording.suite.ranks import communicator
from geoaudit.recording.suite.ranks.communicator import NcclCommunicator


class NcclError(RuntimeError):
    """What CuPy raises."""


class Made:
    """A communicator of NCCL that keeps what it is asked."""

    def __init__(self, ranks: int, identifier: bytes, rank: int) -> None:
        self.place = (ranks, identifier, rank)
        self.calls: list[tuple[Any, ...]] = []
        self.refuses = False

    def allReduce(self, *arguments: Any) -> None:  # noqa: N802, ANN401 - CuPy's own name
        """Keep it."""
        if self.refuses:
            raise NcclError("NCCL_ERROR_SYSTEM_ERROR")
        self.calls.append(arguments)


@pytest.fixture
def nccl(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401 - a module made here
    module: Any = ModuleType("cupy.cuda.nccl")
    module.available = True
    module.NcclError = NcclError
    module.NcclCommunicator = Made
    module.get_unique_id = lambda: b"id" * 64
    for number, name in enumerate(("FLOAT64", "FLOAT32", "FLOAT16", "INT32")):
        setattr(module, f"NCCL_{name}", number)
    module.NCCL_SUM = 0
    for name in ("cupy", "cupy.cuda"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "cupy.cuda.nccl", module)
    return module


def test_rank_0_tells_the_others_where_it_is(nccl: ModuleType, tmp_path: Path) -> None:
    meeting = tmp_path / "meeting"
    found: list[NcclCommunicator] = []
    other = threading.Thread(target=lambda: found.append(NcclCommunicator(1, 2, meeting)))
    other.start()
    first = NcclCommunicator(0, 2, meeting)
    other.join(timeout=30)
    assert first._communicator.place == (2, b"id" * 64, 0)
    assert found[0]._communicator.place == (2, b"id" * 64, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["meeting"]


def test_a_sum_is_in_place(nccl: ModuleType, tmp_path: Path) -> None:
    one = NcclCommunicator(0, 2, tmp_path / "meeting")
    one.all_reduce(4096, 7168, "f32", 7)
    assert one._communicator.calls == [(4096, 4096, 7168, 1, 0, 7)]
    with pytest.raises(NotMeasuredError, match="sums no bf16"):
        one.all_reduce(4096, 7168, "bf16", 7)
    one._communicator.refuses = True
    with pytest.raises(NotMeasuredError, match="an all-reduce: NCCL refuses: NCCL_ERROR_SYSTEM"):
        one.all_reduce(4096, 7168, "f32", 7)


def test_an_older_cupy_is_refused(nccl: Any, tmp_path: Path) -> None:  # noqa: ANN401
    nccl.get_unique_id = lambda: (1, -119)
    with pytest.raises(NotMeasuredError, match="sums over ranks need CuPy 14 or newer"):
        NcclCommunicator(0, 2, tmp_path / "meeting")
    assert not (tmp_path / "meeting").exists()


def test_a_communicator_is_never_destroyed(nccl: Any, tmp_path: Path) -> None:  # noqa: ANN401
    one = NcclCommunicator(0, 2, tmp_path / "meeting")
    made = weakref.ref(one._communicator)
    del one
    gc.collect()
    assert made() is not None


def test_a_rank_0_that_does_not_come_is_not_waited_for_for_ever(
    nccl: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(communicator, "PATIENCE_S", 0.05)
    with pytest.raises(NotMeasuredError, match=r"rank 0 did not come within 0\.05 s"):
        NcclCommunicator(1, 2, tmp_path / "meeting")


def test_where_nccl_is_not_there_it_says_how_to_get_it(
    nccl: Any,  # noqa: ANN401 - a module made here
    tmp_path: Path,
) -> None:
    nccl.available = False
    with pytest.raises(NotMeasuredError, match=r"no NCCL \(libnccl.so.2\)\. Install it: pip"):
        NcclCommunicator(0, 2, tmp_path / "meeting")
