"""Gates as a pipeline sees them: exit codes, and that what cannot be judged never passes."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from geoaudit.cli.main import main
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Metadata, Recording
from geoaudit.launches.store import read_recording, write_recording


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result.exit_code, result.stderr


def gated(named: str, *arguments: str) -> tuple[int, str]:
    return invoke("rank", "--format", "json", "--fail-on", named, *arguments)


def recorded(*kernels: tuple[str, int, float], device: str | None = "NVIDIA H200") -> None:
    """A recording of 12 rounds of kernels (name, blocks, microseconds), as scan makes it."""
    events: list[dict[str, object]] = []
    clock = 1000.0
    for _ in range(12):
        for name, blocks, duration_us in kernels:
            args = {
                "device": 0, "context": 1, "stream": 7, "correlation": len(events),
                "registers per thread": 32, "shared memory": 0,
                "grid": [blocks, 1, 1], "block": [256, 1, 1],
            }  # fmt: skip
            events.append(
                {
                    "ph": "X",
                    "cat": "kernel",
                    "name": name,
                    "pid": 0,
                    "tid": 7,
                    "ts": clock,
                    "dur": duration_us,
                    "args": args,
                }  # fmt: skip
            )
            clock += duration_us + 2.0
    properties = [] if device is None else [{"id": 0, "name": device, "numSms": 132}]
    document = {"schemaVersion": 1, "deviceProperties": properties, "traceEvents": events}
    Path("t.json.gz").write_bytes(gzip.compress(json.dumps(document).encode()))
    assert invoke("scan", "t.json.gz")[0] == 0


def change(metadata: Callable[[Metadata], Metadata]) -> None:
    path = Path("geoaudit-scan.parquet")
    recording = read_recording(path)
    write_recording(
        Recording(launches=recording.launches, metadata=metadata(recording.metadata)), path
    )


FULL = ("mm", 132 * 80, 50.125)
SMALL = ("norm", 12, 50.125)


def test_a_healthy_recording_passes_and_a_starved_one_fails() -> None:
    recorded(FULL)
    assert gated("starved,GA101,warning,waste>1%") == (0, "")
    recorded(FULL, SMALL)
    code, message = gated("starved")
    assert code == 1
    assert message.startswith("geoaudit: --fail-on: starved: 1 row, first: 12 blocks on 132 SMs")


def test_no_gate_accepts_the_shipped_replay() -> None:
    assert invoke("scan")[0] == 0
    for named in ("GA901", "starved", "note", "waste>99%"):
        code, message = gated(named)
        assert code == 3, named
        assert "replayed" in message
    assert invoke("rank", "--format", "json")[0] == 0


def test_dropped_records_are_not_measured_unless_what_is_named_is_there() -> None:
    recorded(FULL, SMALL)
    change(lambda metadata: replace(metadata, dropped=1_200))
    assert gated("starved")[0] == 1
    assert gated("GA901")[0] == 1
    code, message = gated("tail")
    assert code == 3
    assert "1,200 records dropped" in message
    recorded(FULL)
    change(lambda metadata: replace(metadata, dropped=1_200))
    assert gated("error")[0] == 3
    assert gated("waste>99%")[0] == 3


def test_low_coverage_is_not_measured() -> None:
    recorded(FULL)
    change(lambda metadata: replace(metadata, launches_seen=100))
    code, message = gated("starved")
    assert code == 3
    assert "GA903" in message
    change(lambda metadata: replace(metadata, launches_seen=12))
    assert gated("starved,GA903")[0] == 0


def test_what_the_source_never_tells_is_not_measured() -> None:
    recorded(FULL)
    code, message = gated("GA903")
    assert code == 3
    assert "does not tell GA903" in message


def test_an_unknown_device_is_not_measured_until_it_is_named() -> None:
    recorded(SMALL, device=None)
    for named in ("starved", "GA101", "warning", "waste>10%"):
        code, message = gated(named)
        assert code == 3, named
        assert "--sms N" in message
    assert gated("starved", "--sms", "132")[0] == 1


def test_an_unknown_grid_is_not_measured() -> None:
    recorded(FULL, SMALL)
    path = Path("geoaudit-scan.parquet")
    recording = read_recording(path)
    launches = recording.launches.copy()
    launches.loc[launches[s.KERNEL] == "norm", list(s.GRID)] = None
    write_recording(Recording(launches=launches, metadata=recording.metadata), path)
    for named in ("starved", "GA101", "waste>90%"):
        code, message = gated(named)
        assert code == 3, named
        assert "no known grid for 50.0 % of the kernel time" in message
    assert gated("launch_bound,GA103")[0] == 0
    code, message = gated("warning")
    assert code == 1
    assert "no grid and cannot be ranked" in message


def test_collectives_waste_by_design_and_are_left_out() -> None:
    recorded(FULL, ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL()", 24, 500.125))
    assert gated("waste>1%")[0] == 0
    recorded(SMALL, ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL()", 24, 500.125))
    code, message = gated("waste>90%")
    assert code == 1
    assert "90.9 % of the kernel time without collectives" in message


def test_only_collectives_leave_no_waste_to_tell() -> None:
    recorded(("ncclDevKernel_AllReduce_Sum_bf16_RING_LL()", 24, 500.125))
    assert gated("waste>1%")[0] == 3


def test_filters_gate_the_rows_they_show() -> None:
    recorded(FULL, SMALL)
    code, message = gated("waste>40%", "--kernel", "norm")
    assert code == 1
    assert "45.5 % of the kernel time, in the rows shown, is wasted" in message
    assert gated("waste>40%", "--kernel", "mm")[0] == 0
    assert gated("starved", "--kernel", "mm")[0] == 0


@pytest.mark.parametrize(
    ("named", "remedy"),
    [
        ("bandwidth_bound", "--bytes FILE"),
        ("imbalanced", "--counters"),
        ("serial", "--counters-from"),
        ("compute_bound", "--counters"),
    ],
)
def test_a_verdict_that_the_recording_cannot_tell_is_no_pass(named: str, remedy: str) -> None:
    recorded(SMALL)
    code, message = gated(named)
    assert code == 3
    assert remedy in message
