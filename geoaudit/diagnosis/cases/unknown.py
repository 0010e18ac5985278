"""Launches of which too little is known: the reason, and what would mend it."""

from geoaudit.diagnosis.evidence import SignatureEvidence
from geoaudit.diagnosis.finding import Verdict
from geoaudit.diagnosis.recognition import is_clustered, is_persistent
from geoaudit.diagnosis.thresholds import Thresholds
from geoaudit.diagnosis.weighing import inconclusive
from geoaudit.diagnosis.wording import grid_on_sms


def unknown_geometry(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """No grid, no SM count, or a shape that the device cannot have run."""
    geometry = evidence.geometry
    if geometry.grid_blocks is None:
        return inconclusive(
            "the recording has no grid for this kernel",
            "a recording that carries the grid, CUDA graphs node by node",
        )
    if geometry.sm_fill is None:
        return inconclusive(
            "the device, and with it the SM count, is unknown", "--device NAME or --sms N"
        )
    nothing_fits = geometry.resident_blocks_per_sm == 0 or evidence.shape.max_active_clusters == 0
    if geometry.grid_blocks < 1 or nothing_fits:
        return inconclusive(
            "a launch of this shape is impossible on the device named", "the device it ran on"
        )
    return None


def untimed(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """No launch with a time."""
    if evidence.timing is not None:
        return None
    return inconclusive(f"{grid_on_sms(evidence)}, but no launch was timed", "a timed recording")


def unknown_residency(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """A full grid of which nobody knows how many blocks run at once."""
    if evidence.geometry.waves is not None or is_persistent(evidence):
        return None
    if is_clustered(evidence.shape) and evidence.shape.max_active_clusters is None:
        return inconclusive(
            f"{grid_on_sms(evidence)}, but how many of its clusters are active at once is unknown",
            "the clusters active at once: cudaOccupancyMaxActiveClusters, or a recording by Nsight "
            "Compute",
        )
    return inconclusive(
        f"{grid_on_sms(evidence)}, but how many blocks an SM holds is unknown",
        "registers per thread and shared memory",
    )
