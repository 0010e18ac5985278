"""The evidence on one launch signature, drawn together from all that is known of its launches."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from geoaudit.devices.resolve import ResolvedDevice
from geoaudit.devices.spec import DeviceSpec
from geoaudit.diagnosis.evidence import SignatureEvidence, Timing
from geoaudit.diagnosis.interventions import of_signature
from geoaudit.diagnosis.spread import timing_of_sites
from geoaudit.launches.declared import DeclaredKernel
from geoaudit.launches.interventions import Intervention
from geoaudit.launches.recording import Metadata
from geoaudit.ranking.annotation import AnnotatedKernels
from geoaudit.ranking.common_factor import with_common_factor
from geoaudit.ranking.concurrency import concurrency
from geoaudit.ranking.counted import counters_of
from geoaudit.ranking.floors import LaunchFloors, launch_floors
from geoaudit.ranking.twins import dud_twins
from geoaudit.ranking.work import work_per_sm

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class EvidenceSources:
    """What evidence is drawn from.

    Attributes:
        kernels: the audited kernel launches.
        floors: what each of them is held against.
        twins: number of a signature that exits at once -> short name of the one that works.
        declared: short name of a kernel -> what a manifest says of it.
        interventions: launches that were repeated alone and under other shapes.
    """

    kernels: AnnotatedKernels
    floors: LaunchFloors
    twins: Mapping[int, str]
    declared: Mapping[str, DeclaredKernel]
    interventions: tuple[Intervention, ...]


def evidence_sources(
    kernels: AnnotatedKernels,
    devices: Mapping[int, ResolvedDevice],
    metadata: Metadata,
    divisors: Mapping[int, int],
) -> EvidenceSources:
    """What the evidence on the launches of a recording is drawn from.

    Args:
        kernels: the audited launches.
        devices: the devices they ran on.
        metadata: of the recording.
        divisors: device -> what sums over its launches are divided by.
    """
    return EvidenceSources(
        kernels=kernels,
        floors=launch_floors(kernels, devices, metadata, divisors),
        twins=dud_twins(kernels),
        declared={one.kernel_short: one for one in metadata.declared},
        interventions=metadata.interventions,
    )


def signature_evidence(
    sources: EvidenceSources, places: Integers, device: DeviceSpec | None
) -> SignatureEvidence:
    """All that is known of one launch signature.

    Args:
        sources: what the evidence is drawn from.
        places: its launches, as places in ``sources.kernels``.
        device: the device they ran on; None: unknown.
    """
    kernels = sources.kernels
    number = int(kernels.signature[places[0]])
    signature = kernels.signatures[number]
    declared = sources.declared.get(signature.kernel_short)
    held_against = sources.floors.devices[signature.device]
    return SignatureEvidence(
        kernel=signature.kernel,
        owner=signature.owner,
        shape=signature.shape,
        geometry=signature.geometry,
        device=device,
        timing=timing_of(kernels, places),
        floor=sources.floors.of(places, signature.device),
        counters=counters_of(kernels, places),
        concurrency=concurrency(kernels.concurrent, places, kernels.duration_ns),
        work=work_per_sm(kernels.launches, places, signature.geometry, device, held_against),
        split=None if declared is None else declared.split,
        can_be_repeated=declared is not None and not sources.interventions,
        interventions=of_signature(
            sources.interventions, signature.kernel_short, signature.shape, signature.device
        ),
        twin=sources.twins.get(number),
    )


def groups(ids: Integers) -> Iterator[Integers]:
    """Places of equal numbers, in ascending order of the number."""
    order = np.argsort(ids, kind="stable")
    borders = np.flatnonzero(np.diff(ids[order])) + 1
    yield from np.split(order, borders)


def timing_of(kernels: AnnotatedKernels, places: Integers) -> Timing | None:
    """Durations of these launches, call site by call site.

    None where none is timed, or the median is 0 ns: a kernel takes time, so the instrument has
    not told it.
    """
    places = places[~np.isnan(kernels.duration_ns[places])]
    if not places.size or not np.median(kernels.duration_ns[places]) > 0:
        return None
    durations, position = kernels.duration_ns[places], kernels.position[places]
    numbers = kernels.signature[places] * (position.max() + 2) + position
    sites = list(groups(numbers))
    overlapped = kernels.overlapped_ns[places]
    total_ns = float(durations.sum())
    known = total_ns > 0 and not np.isnan(overlapped).any()
    timing = timing_of_sites(
        [durations[site] for site in sites],
        overlapped_fraction=float(overlapped.sum()) / total_ns if known else None,
    )
    # Without tokens nobody knows which launches are of one call site.
    if position.max() < 0:
        return replace(timing, sites=None, site_spread=None, site_std_ns=None)
    factors = kernels.common_factor[places]
    steady_ns = durations / factors
    return with_common_factor(timing, factors, [steady_ns[site] for site in sites])
