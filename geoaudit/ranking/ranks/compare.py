"""From an audit's launches to the comparison of its ranks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from geoaudit.devices.resolve import ResolvedDevice
from geoaudit.errors import InputError
from geoaudit.launches import schema as s
from geoaudit.launches.rank_words import ranks_named
from geoaudit.launches.ranks import ranks_held, ranks_missing, ranks_of_devices
from geoaudit.launches.recording import Recording
from geoaudit.ranking.annotation import AnnotatedKernels
from geoaudit.ranking.ranks.alignment import align_ranks
from geoaudit.ranking.ranks.collectives import (
    ComparedRanks,
    calls_and_times,
    compare_collectives,
    total,
)
from geoaudit.ranking.ranks.comparison import (
    GeometryComparison,
    RankComparison,
    RankedCollective,
    RankSummary,
)
from geoaudit.ranking.ranks.geometry import compare_geometry
from geoaudit.ranking.ranks.signatures import compare_signatures
from geoaudit.ranking.selection import Selection
from geoaudit.ranking.time_account import TimeSplit

Integers = npt.NDArray[np.int64]

RECORD_ALL_RANKS = (
    "Record all ranks of the run: with `geoaudit scan --ranks N`, with the launcher itself under "
    "scan (`geoaudit scan -- torchrun ...`), or give the traces of all ranks to one scan."
)


@dataclass(frozen=True, kw_only=True)
class RankSources:
    """What ranks are compared by.

    Attributes:
        kernels: the audited kernel launches.
        places: of every audited launch the place of its row in the order; 0: filtered out.
        selection: which launches are audited, and how many tokens they make.
        splits: device -> its time account; empty where nothing has a start.
    """

    kernels: AnnotatedKernels
    places: Integers
    selection: Selection
    splits: Mapping[int, TimeSplit]


def compare_ranks(
    recording: Recording,
    sources: RankSources,
    devices: Mapping[int, ResolvedDevice],
    *,
    is_required: bool = False,
) -> RankComparison | None:
    """The ranks of a recording held against each other, each by one device of its own.

    A device whose launches are of several ranks, or do not tell theirs, is left out.

    Args:
        recording: what was audited.
        sources: the audited part of it.
        devices: all devices of the recording.
        is_required: the reader asked for the ranks.

    Returns:
        None where fewer than two ranks have launches.

    Raises:
        InputError: that is so, and they were asked for; says what to record.
    """
    of_devices = ranks_of_devices(recording.launches)
    of_rank = _device_of_rank(recording, sources, of_devices)
    if len(of_rank) < 2:
        if is_required:
            raise _nothing_to_compare(recording)
        return None
    compared = _compared(sources, of_rank)
    comparison = _with_communication(_comparison(recording, sources, of_rank, compared), compared)
    named = [replace(one, device_name=devices[one.device].name) for one in comparison.ranks]
    further = Counter(of_devices.values())
    ranks = tuple(replace(one, further_devices=further[one.rank] - 1) for one in named)
    return replace(comparison, ranks=ranks)


def _comparison(
    recording: Recording,
    sources: RankSources,
    devices: Mapping[int, int],
    compared: ComparedRanks,
) -> RankComparison:
    """All of a comparison but communication."""
    aligned, of_ranks, run_ranks = compared.aligned, compared.devices, recording.metadata.ranks
    geometry = None if aligned is None else compare_geometry(sources.kernels, aligned, of_ranks)
    return RankComparison(
        ranks=tuple(_summary(sources, rank, device) for rank, device in devices.items()),
        run_ranks=run_ranks,
        missing=ranks_missing(recording.launches, run_ranks),
        geometry=geometry,
        geometry_unknown=_why_unknown(geometry, sources.selection, compared, tuple(devices)),
        signatures=compare_signatures(compared, tuple(devices)),
        collectives=(),
        communication_time_per_token_ns=None,
        own_time_per_token_ns=None,
        waiting_fraction=None,
    )


def _with_communication(comparison: RankComparison, compared: ComparedRanks) -> RankComparison:
    collectives = compare_collectives(compared)
    times = _communication(compared)
    waiting = [
        # Where nothing is summed nothing waits.
        0.0 if time == 0 else total([one.waiting_per_token_ns[place] for one in collectives])
        for place, time in enumerate(times)
    ]
    known = [time for time in times if time is not None]
    shown = [one for one in collectives if one.place]
    return replace(
        comparison,
        ranks=tuple(
            replace(one, communication_time_per_token_ns=time, waiting_per_token_ns=waited)
            for one, time, waited in zip(comparison.ranks, times, waiting, strict=True)
        ),
        collectives=tuple(
            replace(one, place=place)
            for place, one in enumerate(shown, start=len(comparison.signatures) + 1)
        ),
        communication_time_per_token_ns=sum(known) / len(known) if known else None,
        own_time_per_token_ns=total([one.own_time_per_token_ns for one in collectives]),
        waiting_fraction=_waiting_fraction(collectives, waiting),
    )


def _nothing_to_compare(recording: Recording) -> InputError:
    held = ranks_held(recording.launches)
    holds = f"has only launches of {ranks_named(held)}" if held else "does not tell its ranks"
    return InputError(
        f"--by rank: {recording.metadata.source_name} {holds}, so there is nothing to compare. "
        f"{RECORD_ALL_RANKS}"
    )


def _device_of_rank(
    recording: Recording, sources: RankSources, of_devices: Mapping[int, int]
) -> dict[int, int]:
    """Rank -> the device with most of its audited launches, else of its launches; ascending."""
    launches = recording.launches
    audited = sources.kernels.launches[s.DEVICE].value_counts()
    recorded = launches[s.DEVICE].value_counts()
    best: dict[int, int] = {}
    for device, rank in sorted(of_devices.items(), reverse=True):
        size = (int(audited.get(device, 0)), int(recorded[device]))
        other = best.get(rank)
        if other is None or size >= (int(audited.get(other, 0)), int(recorded[other])):
            best[rank] = device
    return dict(sorted(best.items()))


def _compared(sources: RankSources, devices: Mapping[int, int]) -> ComparedRanks:
    kernels, of_ranks = sources.kernels, tuple(devices.values())
    divisors = tuple(sources.selection.divisors.get(device) for device in of_ranks)
    return ComparedRanks(
        kernels=kernels,
        devices=of_ranks,
        divisors=divisors,
        aligned=None if None in divisors else align_ranks(kernels, of_ranks),
        places=sources.places,
        device=kernels.launches[s.DEVICE].to_numpy(dtype=np.int64),
    )


def _communication(compared: ComparedRanks) -> list[float | None]:
    """Durations of all collectives per token on each rank; 0 where a rank has none."""
    kernels = compared.kernels
    launches = np.flatnonzero(kernels.communication).astype(np.int64)
    calls, times = calls_and_times(compared, launches, kernels.duration_ns)
    return [0.0 if call == 0 else time for call, time in zip(calls, times, strict=True)]


def _waiting_fraction(
    collectives: Sequence[RankedCollective], waiting: Sequence[float | None]
) -> float | None:
    waited = total(waiting)
    time = total([time for one in collectives for time in one.time_per_token_ns])
    return waited / time if waited is not None and time else None


def _summary(sources: RankSources, rank: int, device: int) -> RankSummary:
    """What is known of a rank by itself."""
    summary = RankSummary(
        rank=rank,
        device=device,
        device_name="",
        further_devices=0,
        tokens=_tokens(sources.selection, device),
        wall_time_per_token_ns=None,
        kernel_time_per_token_ns=_kernel_time(sources, device, 1.0),
        copy_time_per_token_ns=None,
        gap_time_per_token_ns=None,
        wasted_sm_time_per_token_ns=None,
        communication_time_per_token_ns=None,
        waiting_per_token_ns=None,
    )
    wasted_ns = _kernel_time(sources, device, 1.0 - sources.kernels.sm_fill)
    if device not in sources.splits:
        return replace(summary, wasted_sm_time_per_token_ns=wasted_ns)
    split = sources.splits[device]
    return replace(
        summary,
        wall_time_per_token_ns=split.wall,
        kernel_time_per_token_ns=split.kernel,
        copy_time_per_token_ns=split.copy,
        gap_time_per_token_ns=split.gap,
        wasted_sm_time_per_token_ns=None if wasted_ns is None else split.wasted,
    )


def _tokens(selection: Selection, device: int) -> int | None:
    return None if selection.tokens is None else selection.divisors.get(device)


def _kernel_time(
    sources: RankSources, device: int, weight: float | npt.NDArray[np.float64]
) -> float | None:
    """Sum of the weighted times of a device's audited launches per token; None: none is known."""
    mine = sources.kernels.launches[s.DEVICE].to_numpy(dtype=np.int64) == device
    times = (sources.kernels.attributed_ns * weight)[mine]
    known = times[~np.isnan(times)]
    return float(known.sum()) / sources.selection.divisors[device] if known.size else None


def _why_unknown(
    geometry: GeometryComparison | None,
    selection: Selection,
    compared: ComparedRanks,
    ranks: tuple[int, ...],
) -> str:
    if geometry is not None:
        return ""
    if selection.step_class is None:
        return "no tokens were found, so launches have no positions"
    without = [rank for rank, one in zip(ranks, compared.divisors, strict=True) if one is None]
    if without:
        verb = "has" if len(without) == 1 else "have"
        return f"{ranks_named(without)} {verb} no complete step of class {selection.step_class}"
    return "the ranks have no token in common"
