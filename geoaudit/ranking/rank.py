"""From a recording to its audit: the table of kernels ranked by wasted SM-time per token."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from geoaudit.devices.recorded import RecordedDevice
from geoaudit.devices.resolve import ResolvedDevice, resolve_device
from geoaudit.devices.spec import DeviceSpec
from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.launches.signatures import signature_ids
from geoaudit.launches.tokens import segment
from geoaudit.ranking.audit import (
    Audit,
    AuditedDevice,
    AuditRow,
    AuditTotals,
    DistanceAccount,
    TimelineLaunch,
)
from geoaudit.ranking.distance import distance_account
from geoaudit.ranking.header import audit_findings, audit_header
from geoaudit.ranking.options import Order, RankOptions
from geoaudit.ranking.picture import picture, typical_token
from geoaudit.ranking.rows import (
    AnnotatedKernels,
    build_rows,
    communication_flags,
    fill_per_launch,
    row_ids,
    signature_geometries,
)
from geoaudit.ranking.selection import Selection, select
from geoaudit.ranking.time_account import (
    Timeline,
    attributed_durations,
    build_timeline,
    overlapped_time,
    split_time,
)

Integers = npt.NDArray[np.int64]


def rank(recording: Recording, options: RankOptions) -> Audit:
    """The audit of a recording.

    Args:
        recording: with at least one kernel launch.
        options: what the reader chose.

    Raises:
        NotMeasuredError: there is no kernel launch, or no complete step of the class asked for.
        InputError: a step class, device, pattern or owner that is not there.
    """
    if not (recording.launches[s.KIND] == s.KIND_KERNEL).any():
        raise NotMeasuredError(
            f"{recording.metadata.source_name}: no kernel launches in this recording, so there is "
            "nothing to audit. Record again while the GPU works."
        )
    token_options = options.token_options or recording.metadata.token_options
    segmentation = segment(recording.launches, token_options)
    selection = select(segmentation, options.step_class)
    devices = _devices(recording, selection, options)
    specs = {index: device.spec for index, device in devices.items()}
    kernels, timelines = annotate(selection.launches, specs)
    ids = row_ids(kernels, options.group)
    rows = build_rows(kernels, ids, selection.divisors, specs)
    shown, hidden, ranks = _ordered(rows, kernels.communication, ids, options)
    totals = _totals(selection, timelines, rows)
    header = audit_header(recording, segmentation, selection, _audited(devices, rows), rows)
    return Audit(
        header=header,
        totals=totals,
        rows=shown[0],
        communication_rows=shown[1],
        hidden_rows=hidden,
        recording_findings=audit_findings(header),
        timeline=_timeline(kernels, ranks, header.devices[0].index),
        distance=_distance(rows, totals, options.target_ns),
        order=options.order,
        group=options.group,
    )


def annotate(
    launches: pd.DataFrame, devices: Mapping[int, DeviceSpec | None]
) -> tuple[AnnotatedKernels, dict[int, Timeline]]:
    """Kernel launches with their geometry and time, and the timeline of each device.

    Args:
        launches: kernels, copies and sets, index 0..n-1.
        devices: device -> its limits, or None.
    """
    is_kernel = (launches[s.KIND] == s.KIND_KERNEL).to_numpy()
    kernels = launches[is_kernel]
    signature = signature_ids(kernels)
    shapes, geometries = signature_geometries(kernels, signature, devices)
    fill = np.ones(len(launches))
    fill[is_kernel] = fill_per_launch(signature, geometries)
    communication = np.zeros(len(launches), dtype=bool)
    communication[is_kernel] = communication_flags(kernels)
    overlapped = np.full(len(launches), np.nan)
    timelines = {}
    timed = (launches[s.START_NS].notna() & launches[s.DURATION_NS].notna()).to_numpy()
    for device, places in launches[timed].groupby(s.DEVICE).indices.items():
        rows = np.flatnonzero(timed)[places]
        timeline = build_timeline(launches.iloc[rows], fill[rows], communication[rows])
        overlapped[rows] = overlapped_time(timeline, launches.iloc[rows])
        timelines[int(device)] = timeline
    return (
        AnnotatedKernels(
            launches=kernels.reset_index(drop=True),
            signature=signature,
            shapes=shapes,
            geometries=geometries,
            sm_fill=fill[is_kernel],
            communication=communication[is_kernel],
            attributed_ns=attributed_durations(kernels.reset_index(drop=True)),
            overlapped_ns=overlapped[is_kernel],
        ),
        timelines,
    )


def _devices(
    recording: Recording, selection: Selection, options: RankOptions
) -> dict[int, ResolvedDevice]:
    recorded = {device.index: device for device in recording.metadata.devices}
    return {
        index: resolve_device(recorded.get(index, RecordedDevice(index=index)), options.device)
        for index in selection.divisors
    }


def _audited(
    devices: Mapping[int, ResolvedDevice], rows: Sequence[AuditRow]
) -> tuple[AuditedDevice, ...]:
    """The devices, the one most time was spent on first."""
    spent = dict.fromkeys(devices, 0.0)
    for row in rows:
        spent[row.device] += row.time_per_token_ns or 0.0
    return tuple(
        AuditedDevice(
            index=index,
            name=devices[index].name,
            spec=devices[index].spec,
            disagreements=devices[index].disagreements,
        )
        for index in sorted(devices, key=lambda index: (-spent[index], index))
    )


def _ordered(
    rows: Sequence[AuditRow],
    communication: npt.NDArray[np.bool_],
    ids: Integers,
    options: RankOptions,
) -> tuple[tuple[tuple[AuditRow, ...], tuple[AuditRow, ...]], int, Integers]:
    """Rows and collectives in the order asked for, how many are left out, rank per launch."""
    collective = np.zeros(len(rows), dtype=bool)
    collective[ids[communication]] = True
    wanted = [place for place in range(len(rows)) if _is_wanted(rows[place], options)]
    wanted.sort(key=lambda place: _sort_key(rows[place], options.order))
    own = [place for place in wanted if not collective[place]]
    shared = [place for place in wanted if collective[place]]
    numbered = {place: number for number, place in enumerate([*own, *shared], start=1)}
    ranked = [replace(rows[place], rank=number) for place, number in numbered.items()]
    ranks = np.array([numbered.get(place, 0) for place in range(len(rows))], dtype=np.int64)[ids]
    parts = tuple(ranked[: len(own)]), tuple(ranked[len(own) :])
    return parts, len(rows) - len(ranked), ranks


def _is_wanted(row: AuditRow, options: RankOptions) -> bool:
    if options.kernel_pattern is not None and not _pattern(options.kernel_pattern).search(
        row.kernel
    ):
        return False
    if options.owner == "library" and row.owner == "own":
        return False
    if options.owner not in (None, "library") and row.owner != options.owner:
        return False
    return (row.time_per_token_ns or 0.0) >= options.minimum_time_ns


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise InputError(f"--kernel {text!r} is not a regular expression: {error}") from error


def _sort_key(row: AuditRow, order: Order) -> tuple[bool, float, float, str, str]:
    """Worst first; what cannot be told comes last; ties by time, then by name and shape."""
    fill = row.geometry.sm_fill
    value = {
        "wasted": row.wasted_sm_time_per_token_ns,
        "time": row.time_per_token_ns,
        "calls": row.calls_per_token,
        "fill": None if fill is None else -fill,
    }[order]
    tie = row.time_per_token_ns or 0.0
    return value is None, -(value or 0.0), -tie, row.kernel, str((row.shape.grid, row.positions))


def _totals(
    selection: Selection, timelines: Mapping[int, Timeline], rows: Sequence[AuditRow]
) -> AuditTotals:
    """Means over tokens, and over devices where there are several."""
    known = any(row.wasted_sm_time_per_token_ns is not None for row in rows)
    splits = []
    for device, begins in selection.begins.items():
        split = split_time(timelines[device], begins, selection.ends[device])
        # With a count of tokens but no boundaries the one interval holds all of them.
        splits.append((split, 1 if selection.step_class else selection.divisors[device]))
    if not splits:
        return _totals_without_starts(rows, known)

    def mean(name: str) -> float:
        return float(np.mean([getattr(split, name) / divisor for split, divisor in splits]))

    return AuditTotals(
        wall_time_per_token_ns=mean("wall"),
        kernel_time_per_token_ns=mean("kernel"),
        copy_time_per_token_ns=mean("copy"),
        gap_time_per_token_ns=mean("gap"),
        wasted_sm_time_per_token_ns=mean("wasted") if known else None,
        wasted_without_communication_per_token_ns=(
            mean("wasted_without_communication") if known else None
        ),
    )


def _totals_without_starts(rows: Sequence[AuditRow], known: bool) -> AuditTotals:
    """Sums over the rows: without starts neither gaps nor overlaps can be told."""
    blamed = [row for row in rows if row.verdict.name != "communication"]
    times = [row.time_per_token_ns for row in rows if row.time_per_token_ns is not None]
    return AuditTotals(
        wall_time_per_token_ns=None,
        kernel_time_per_token_ns=sum(times) if times else None,
        copy_time_per_token_ns=None,
        gap_time_per_token_ns=None,
        wasted_sm_time_per_token_ns=_wasted(rows) if known else None,
        wasted_without_communication_per_token_ns=_wasted(blamed) if known else None,
    )


def _wasted(rows: Sequence[AuditRow]) -> float:
    return sum(row.wasted_sm_time_per_token_ns or 0.0 for row in rows)


def _timeline(
    kernels: AnnotatedKernels, ranks: Integers, device: int
) -> tuple[TimelineLaunch, ...]:
    launches = kernels.launches
    timed = launches[s.START_NS].notna() & launches[s.DURATION_NS].notna()
    chosen = typical_token(launches[timed & (launches[s.DEVICE] == device)])
    places = chosen.index.to_numpy()
    return picture(chosen, kernels.sm_fill[places], ranks[places])


def _distance(
    rows: Sequence[AuditRow], totals: AuditTotals, target_ns: float | None
) -> DistanceAccount | None:
    if target_ns is None:
        return None
    if totals.wall_time_per_token_ns is None:
        raise NotMeasuredError(
            "--target-ms needs the wall time of a token, and this recording has no start times. "
            "Record with an instrument that has them."
        )
    return distance_account(rows, totals.wall_time_per_token_ns, target_ns)
