"""From a recording to its audit: the table of kernels ranked by wasted SM-time per token."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from geoaudit.devices.recorded import RecordedDevice
from geoaudit.devices.resolve import ResolvedDevice, resolve_device
from geoaudit.errors import NotMeasuredError
from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.launches.tokens import segment
from geoaudit.ranking.annotation import AnnotatedKernels, Flags, Integers, annotate
from geoaudit.ranking.audit import Audit, AuditedDevice, AuditRow
from geoaudit.ranking.distance import distance_account
from geoaudit.ranking.evidence import evidence_sources
from geoaudit.ranking.header import audit_findings, audit_header
from geoaudit.ranking.options import RankOptions
from geoaudit.ranking.order import ordered
from geoaudit.ranking.picture import picture, typical_token
from geoaudit.ranking.ranks.compare import RankSources, compare_ranks
from geoaudit.ranking.rows import RowDevice, build_rows, row_ids
from geoaudit.ranking.selection import Selection, select
from geoaudit.ranking.time_account import TimeSplit
from geoaudit.ranking.totals import audit_totals, device_splits


def rank(recording: Recording, options: RankOptions) -> Audit:
    """The audit of a recording.

    Args:
        recording: with at least one kernel launch.
        options: what the reader chose.

    Raises:
        NotMeasuredError: there is no kernel launch, or no complete step of the class asked for.
        InputError: a step class, device, pattern, owner or second rank that is not there.
    """
    return _audit(_prepared(recording, options), options)


def _audit(recording: Recording, options: RankOptions) -> Audit:
    segmentation = segment(recording.launches, recording.metadata.token_options)
    selection = select(segmentation, options.step_class)
    devices = _devices(recording, options)
    everything, timelines = annotate(segmentation.launches, devices)
    kernels = everything.where(selection.counted[everything.rows])
    splits = device_splits(selection, timelines)
    ids = row_ids(kernels, options.group)
    evidence = evidence_sources(kernels, devices, recording.metadata, selection.divisors)
    rows = build_rows(evidence, ids, _row_devices(kernels, selection, devices, splits))
    shown = ordered(rows, _collectives(kernels, ids, len(rows)), options)
    places, totals = shown.ranks[ids], audit_totals(rows, selection, splits)
    header = audit_header(recording, segmentation, selection, _audited(devices, rows), rows)
    pictured = typical_token(kernels, selection, header.devices[0].index)
    sources = RankSources(kernels=kernels, places=places, selection=selection, splits=splits)
    ranks = compare_ranks(recording, sources, devices, is_required=options.group == "rank")
    return Audit(
        header=header,
        totals=totals,
        rows=shown.rows,
        communication_rows=shown.communication_rows,
        hidden_rows=0,
        filtered_rows=shown.filtered,
        recording_findings=audit_findings(header, ranks),
        timeline=picture(kernels, pictured, places),
        pictured_token=pictured.token,
        pictured_wall_ns=pictured.wall_ns,
        distance=distance_account(shown.rows, totals, options.target_ns),
        order=options.order,
        group=options.group,
        ranks=ranks,
    )


def _prepared(recording: Recording, options: RankOptions) -> Recording:
    """The recording with the tokens that the reader says."""
    if not (recording.launches[s.KIND] == s.KIND_KERNEL).any():
        raise NotMeasuredError(
            f"{recording.metadata.source_name}: no kernel launches in this recording, so there is "
            "nothing to audit. Record again while the GPU works."
        )
    token_options = options.token_options or recording.metadata.token_options
    return replace(recording, metadata=replace(recording.metadata, token_options=token_options))


def _devices(recording: Recording, options: RankOptions) -> dict[int, ResolvedDevice]:
    recorded = {device.index: device for device in recording.metadata.devices}
    return {
        int(index): resolve_device(
            recorded.get(int(index), RecordedDevice(index=int(index))), options.device
        )
        for index in recording.launches[s.DEVICE].unique()
    }


def _collectives(kernels: AnnotatedKernels, ids: Integers, rows: int) -> Flags:
    collective = np.zeros(rows, dtype=bool)
    collective[ids[kernels.communication]] = True
    return collective


def _row_devices(
    kernels: AnnotatedKernels,
    selection: Selection,
    devices: Mapping[int, ResolvedDevice],
    splits: Mapping[int, TimeSplit],
) -> dict[int, RowDevice]:
    found = {}
    for device, places in kernels.launches.groupby(s.DEVICE).indices.items():
        divisor = selection.divisors[int(device)]
        summed = float(np.nansum(kernels.attributed_ns[places])) / divisor
        found[int(device)] = RowDevice(
            spec=devices[int(device)].spec,
            divisor=divisor,
            kernel_time_ns=splits[int(device)].kernel if int(device) in splits else summed,
        )
    return found


def _audited(
    devices: Mapping[int, ResolvedDevice], rows: Sequence[AuditRow]
) -> tuple[AuditedDevice, ...]:
    """The devices, the one most time was spent on first."""
    spent: dict[int, float] = {}
    for row in rows:
        spent[row.device] = spent.get(row.device, 0.0) + (row.time_per_token_ns or 0.0)
    return tuple(
        AuditedDevice(
            index=index,
            name=devices[index].name,
            spec=devices[index].spec,
            usable_sms=devices[index].usable_sms,
            sm_count_source=devices[index].sm_count_source,
            disagreements=devices[index].disagreements,
        )
        for index in sorted(spent, key=lambda index: (-spent[index], index))
    )
