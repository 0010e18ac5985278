"""Builders of small Kineto traces."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from geoaudit.launches.recording import Recording
from geoaudit.sources.kineto import SOURCE
from geoaudit.sources.registry import ReadOptions

Event = dict[str, Any]

H200 = {
    "id": 0,
    "name": "NVIDIA H200",
    "computeMajor": 9,
    "computeMinor": 0,
    "maxThreadsPerMultiprocessor": 2048,
    "regsPerMultiprocessor": 65536,
    "warpSize": 32,
    "sharedMemPerBlockOptin": 232448,
    "sharedMemPerMultiprocessor": 233472,
    "numSms": 132,
}
MI300X = {
    "id": 0,
    "name": "AMD Instinct MI300X",
    "computeMajor": 9,
    "computeMinor": 4,
    "maxThreadsPerMultiprocessor": 2048,
    "warpSize": 64,
    "numSms": 304,
    "maxSharedMemoryPerMultiProcessor": 65536,
}


def kernel(name: str = "k", *, ts: float = 10, dur: float = 5, **args: object) -> Event:
    given: dict[str, object] = {
        "device": 0,
        "context": 1,
        "stream": 7,
        "grid": [12, 1, 1],
        "block": [128, 1, 1],
    }
    given |= {key.replace("_", " "): value for key, value in args.items()}
    used = {key: value for key, value in given.items() if value is not None}
    return {
        **{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7},
        **{"ts": ts, "dur": dur, "args": used},
    }


def call(name: str = "cudaLaunchKernel", *, ts: float = 1, tid: int = 100, **args: object) -> Event:
    return {
        **{"ph": "X", "cat": "cuda_runtime", "name": name, "pid": 42, "tid": tid},
        **{"ts": ts, "dur": 1, "args": {key.replace("_", " "): v for key, v in args.items()}},
    }


def annotation(name: str, ts: float, dur: float, *, tid: int = 100, pid: int = 42) -> Event:
    return {
        **{"ph": "X", "cat": "user_annotation", "name": name, "pid": pid, "tid": tid},
        **{"ts": ts, "dur": dur},
    }


def trace(*events: object, devices: Iterable[object] = (H200,), **top: object) -> bytes:
    document = {"schemaVersion": 1, "deviceProperties": list(devices), **top}
    return json.dumps({**document, "traceEvents": list(events)}).encode()


def read_bytes(folder: Path, data: bytes, *, allow_partial: bool = False) -> Recording:
    path = folder / "trace.json"
    path.write_bytes(data)
    return SOURCE.read(path, ReadOptions(allow_partial=allow_partial))


def read(
    folder: Path, *events: object, devices: Iterable[object] = (H200,), **top: object
) -> Recording:
    return read_bytes(folder, trace(*events, devices=devices, **top))
