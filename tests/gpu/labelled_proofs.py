"""Whether what was measured bears out the labels of the set: no GPU needed."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from geoaudit.devices.calibration import Calibration
from geoaudit.diagnosis.finding import VerdictName
from geoaudit.launches import schema as s
from geoaudit.launches.interventions import BlockCount, Intervention
from geoaudit.launches.recording import Recording
from geoaudit.launches.store import write_recording
from tests.gpu import labelled_cases as cases
from tests.gpu.labelled_cases import SMS, Case, Proof

Alone = Mapping[tuple[str, str], tuple[int, ...]]
"""(kernel of a case, name of a proof; empty: the case itself) -> durations alone and cold, ns."""

Durations = npt.NDArray[np.float64]

ALONE = ""
CONTENDED_ALONE = 0.83
"""A contended kernel takes at most this share of its time when it is alone."""

OUTLIER_NS = 300_000.0
OUTLIERS = 2
CLOCKED_LAUNCHES, CLOCKED_RATIO = 10, 1.1

PEAK_PER_CYCLE: dict[cases.Unit, int] = {"fma32": 128, "fma64": 64, "special": 16, "tensor": 2048}
"""Operations of an SM of compute capability 9.0 in a cycle, a product and a sum counted as one
(CUDA programming guide, throughput of arithmetic instructions; H200 data sheet, dense halves)."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that must hold for a label to be true; ``holds`` None: only printed."""

    what: str
    value: float
    holds: bool | None


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """A case in a recording, with what was measured of it.

    Attributes:
        case: the kernel.
        recording, mode: where it is, eager or graph.
        median_ns, relative_mad: at its first site; alone_ns: its median alone and cold.
        floor_ratio: median / floor of its bytes.
        checks: what shows the label.
    """

    case: Case
    recording: str
    mode: str
    median_ns: float
    relative_mad: float
    alone_ns: float
    floor_ratio: float
    checks: tuple[Check, ...]

    @property
    def label(self) -> VerdictName:
        return self.case.label

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against the label, and something for it."""
        judged = [check.holds for check in self.checks if check.holds is not None]
        return bool(judged) and all(judged)

    def as_json(self) -> dict[str, object]:
        """Its entry in labels.json."""
        return {
            "recording": f"{self.recording}.parquet",
            "kernel": self.case.kernel,
            "label": self.label,
            "accepts": list(self.case.accepts),
            "mode": self.mode,
            "body": self.case.body,
            "note": self.case.note,
            "holds": self.holds,
            "grid": self.case.launch.grid,
            "median_ns": _rounded(self.median_ns, 0),
            "relative_mad": _rounded(self.relative_mad, 4),
            "alone_ns": _rounded(self.alone_ns, 0),
            "floor_ratio": _rounded(self.floor_ratio, 2),
            "checks": [
                {"what": one.what, "value": _rounded(one.value, 3), "holds": one.holds}
                for one in self.checks
            ],
        }

    def line(self, state: str) -> str:
        """Its line in the table."""
        proofs = "; ".join(
            f"{one.what} {one.value:.2f}{' !' if one.holds is False else ''}" for one in self.checks
        )
        return (
            f"{state:4} {self.recording:14} {self.case.kernel:32} {self.label:18} "
            f"{self.case.launch.grid:>6} {self.median_ns / 1e3:>6.1f} µs {self.relative_mad:>7.1%} "
            f"{self.floor_ratio:>7.1f}  {proofs}"
        )


def judged(
    recording: Recording,
    chosen: tuple[Case, ...],
    alone: Alone,
    *,
    recording_name: str,
    mode: str,
    clock_hz: float,
) -> list[Labelled]:
    """The cases of a recording with the checks of their labels.

    Args:
        recording: as `wrapped_up` left it, with its device's calibration.
        chosen: the cases that were launched in it.
        alone: durations alone.
        recording_name: name without suffix; mode: eager or graph.
        clock_hz: the device's highest clock.
    """
    (calibration,) = recording.metadata.calibrations
    found = []
    for case in chosen:
        durations = durations_of(recording, case)
        median = float(np.median(durations)) if durations.size else float("nan")
        bandwidth = calibration.copy_bytes_per_second or float("nan")
        floor = max(calibration.launch_floor_ns or 0.0, case.compulsory_bytes / bandwidth * 1e9)
        found.append(
            Labelled(
                case=case,
                recording=recording_name,
                mode=mode,
                median_ns=median,
                relative_mad=float(np.median(np.abs(durations - median))) / median
                if durations.size
                else float("nan"),
                alone_ns=_median(alone, case),
                floor_ratio=median / (floor or float("nan")),
                checks=checks(case, durations, alone, calibration, clock_hz),
            )
        )
    return found


def durations_of(recording: Recording, case: Case) -> Durations:
    """Durations of a case at its first site, in order of tokens, ns."""
    table = recording.launches
    rows = table[(table[s.KERNEL_SHORT] == case.kernel) & table[s.POSITION].notna()]
    if not len(rows):
        return np.empty(0)
    first = rows[rows[s.POSITION] == rows[s.POSITION].min()].sort_values(s.START_NS)
    durations: Durations = first[s.DURATION_NS].dropna().to_numpy(dtype=np.float64)
    return durations


def checks(
    case: Case, durations: Durations, alone: Alone, calibration: Calibration, clock_hz: float
) -> tuple[Check, ...]:
    """What was found for and against a label; a case that was not recorded fails."""
    if durations.size < 20:
        return (Check(what="repetitions", value=durations.size, holds=False),)
    in_situ = (
        _beside_checks(case, durations, alone)
        + _slice_checks(case, durations, alone)
        + _clock_checks(case, durations)
    )
    proofs = tuple(_proved(case, proof, alone) for proof in case.proofs)
    return (*in_situ, *proofs, *_rate_checks(case, durations, alone, calibration, clock_hz))


def _proved(case: Case, proof: Proof, alone: Alone) -> Check:
    ratio = float(np.median(alone[case.kernel, proof.name])) / _median(alone, case)
    is_judged = proof.low is not None or proof.high is not None
    holds = (proof.low or 0.0) <= ratio <= (proof.high or float("inf"))
    return Check(what=proof.name, value=ratio, holds=holds if is_judged else None)


def _beside_checks(case: Case, durations: Durations, alone: Alone) -> tuple[Check, ...]:
    if case.group not in ("memory", "compute"):
        return ()
    ratio = _median(alone, case) / float(np.median(durations))
    return (Check(what="alone", value=ratio, holds=ratio <= CONTENDED_ALONE),)


def _slice_checks(case: Case, durations: Durations, alone: Alone) -> tuple[Check, ...]:
    if case.group != "process":
        return ()
    itself = np.array(alone[case.kernel, ALONE], dtype=np.float64)
    found = [int(np.sum(values > np.median(itself) + OUTLIER_NS)) for values in (durations, itself)]
    return (
        Check(what="launches cut in two", value=found[0], holds=found[0] >= OUTLIERS),
        Check(what="of those alone", value=found[1], holds=found[1] == 0),
    )


def _clock_checks(case: Case, durations: Durations) -> tuple[Check, ...]:
    if case.group != "clocks":
        return ()
    first = float(np.median(durations[:CLOCKED_LAUNCHES]))
    last = float(np.median(durations[-CLOCKED_LAUNCHES:]))
    ratio = first / last
    return (Check(what="first launches / last", value=ratio, holds=ratio >= CLOCKED_RATIO),)


def _rate_checks(
    case: Case, durations: Durations, alone: Alone, calibration: Calibration, clock_hz: float
) -> tuple[Check, ...]:
    rate, median = case.rate, float(np.median(durations))
    seconds = min(median, _median(alone, case)) * 1e-9
    copy_rate = calibration.copy_bytes_per_second or float("nan")
    share = case.compulsory_bytes / seconds / copy_rate
    found = []
    if rate.copy_fraction is not None:
        found.append(Check(what="of the copy rate", value=share, holds=share >= rate.copy_fraction))
    if rate.floor_ratio is not None:
        found.append(Check(what="floors", value=1 / share, holds=1 / share <= rate.floor_ratio))
    if rate.unit is not None and rate.unit_fraction is not None:
        peak = PEAK_PER_CYCLE[rate.unit] * SMS * clock_hz
        value = rate.operations / seconds / peak
        found.append(
            Check(what=f"of the {rate.unit} peak", value=value, holds=value >= rate.unit_fraction)
        )
    if rate.launch_floors is not None and calibration.launch_floor_ns:
        value = median / calibration.launch_floor_ns
        found.append(Check(what="launch floors", value=value, holds=value <= rate.launch_floors))
    return tuple(found)


def _rounded(value: float, digits: int) -> float | None:
    """The value as JSON can hold it."""
    return round(value, digits) if np.isfinite(value) else None


def _median(alone: Alone, case: Case) -> float:
    return float(np.median(alone[case.kernel, ALONE]))


# ---- what is kept --------------------------------------------------------------------------------


def wrapped_up(
    recordings: Mapping[str, Recording], alone: Alone, copy_rate: float, folder: Path
) -> dict[str, Recording]:
    """The recordings with what was measured of the device, written anew into the folder.

    Args:
        recordings: by name without suffix.
        alone: durations alone.
        copy_rate: bytes per second of a large copy, read plus written.
        folder: where they go.
    """
    eager, graph = (_launch_floor(recordings.get(name)) for name in ("quiet-eager", "quiet-graph"))
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    kept = {}
    for name, recording in recordings.items():
        metadata = recording.metadata
        calibration = Calibration(
            device_name=metadata.devices[0].name or "" if metadata.devices else "",
            copy_bytes_per_second=copy_rate,
            launch_floor_ns=eager or graph,
            graph_launch_floor_ns=graph,
            latency_ns=_latency_ns(alone),
            timer_tick_ns=_timer_tick_ns(recording),
            driver_version=metadata.environment.get("cuda_driver", ""),
            measured_on=today,
        )
        mode = "CUDA graph" if name.endswith("-graph") else "eager"
        changed = replace(
            metadata,
            source_name=f"{name}.parquet",
            recorded_on=today,
            calibrations=(calibration,),
            environment={**metadata.environment, "mode": mode},
        )
        kept[name] = replace(recording, metadata=changed)
        write_recording(kept[name], folder / f"{name}.parquet")
    return kept


def _launch_floor(recording: Recording | None) -> float | None:
    if recording is None:
        return None
    table = recording.launches
    empty = table.loc[table[s.KERNEL_SHORT] == cases.EMPTY, s.DURATION_NS].dropna()
    return float(empty.median()) if len(empty) else None


def _latency_ns(alone: Alone) -> float | None:
    """Of one load of the single block's chain: items and rounds follow one another."""
    case = next(case for case in cases.STARVED if case.kernel == "starved_1_chain")
    durations = alone.get((case.kernel, ALONE))
    if not durations:
        return None
    return float(np.median(durations)) / (case.launch.items * case.launch.rounds)


def _timer_tick_ns(recording: Recording) -> float | None:
    durations = recording.launches[s.DURATION_NS].dropna().to_numpy(dtype=np.int64)
    tick = int(np.gcd.reduce(durations)) if durations.size else 0
    return float(tick) if tick > 1 else None


def declared(chosen: tuple[Case, ...]) -> dict[str, dict[str, int | None]]:
    """What a manifest would declare of each kernel: columns of the launches table by its name.

    Kernels that run beside the tokens declare nothing.
    """
    found: dict[str, dict[str, int | None]] = {
        case.kernel: {
            s.COMPULSORY_BYTES: case.compulsory_bytes,
            s.WORKING_THREADS: case.launch.block,
            s.BYTES_IN_FLIGHT_PER_THREAD: case.bytes_in_flight_per_thread,
        }
        for case in chosen
    }
    found[cases.FLUSHER] = {
        s.COMPULSORY_BYTES: cases.FLUSHED_BYTES,
        s.WORKING_THREADS: cases.FLUSH.block,
        s.BYTES_IN_FLIGHT_PER_THREAD: 64,
    }
    return found


def interventions(recording: Recording, chosen: tuple[Case, ...], alone: Alone) -> list[Any]:
    """What `--confirm` would have found of each case of a recording, as plain values."""
    found = []
    table = recording.launches
    for case in chosen:
        durations = durations_of(recording, case)
        if not durations.size or (case.kernel, ALONE) not in alone:
            continue
        positions = table.loc[table[s.KERNEL_SHORT] == case.kernel, s.POSITION].dropna()
        one = case.launch
        found.append(
            Intervention(
                kernel_short=case.kernel,
                grid=(one.grid, 1, 1),
                block=(one.block, 1, 1),
                dynamic_shared_bytes=one.shared_bytes,
                position=int(positions.min()),
                alone_ns=alone[case.kernel, ALONE],
                in_situ_ns=tuple(int(value) for value in durations),
                sweep=tuple(
                    BlockCount(
                        setting=f"grid={proof.launch.grid} block={proof.launch.block}",
                        grid_blocks=proof.launch.grid,
                        block_threads=proof.launch.block,
                        durations_ns=alone[case.kernel, proof.name],
                        kernel_short=proof.launch.kernel,
                    )
                    for proof in case.proofs
                    if proof.is_same_work
                ),
            )
        )
    return list(msgspec.to_builtins(found))
