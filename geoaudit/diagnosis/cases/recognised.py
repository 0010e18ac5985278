"""Launches that are what they are whatever their grid: collectives, duds, launches at the floor."""

from geoaudit.diagnosis.evidence import SignatureEvidence
from geoaudit.diagnosis.finding import Verdict
from geoaudit.diagnosis.recognition import is_launch_bound
from geoaudit.diagnosis.thresholds import Thresholds
from geoaudit.diagnosis.weighing import suspected
from geoaudit.launches.names import is_communication
from geoaudit.quantities import duration


def communication(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """A collective or a copy."""
    if not is_communication(evidence.kernel, evidence.owner):
        return None
    return suspected(
        "communication", "a collective or a copy, by its owner or name: its grid is small by design"
    )


def dud(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """One of a self-gated pair, which exits at once."""
    if evidence.twin is None or evidence.timing is None:
        return None
    return suspected(
        "dud",
        f"it exits after {duration(evidence.timing.median_ns)} beside {evidence.twin}, which has "
        "its grid and does the work: the price of a choice made on the device",
        "the same step with the pair's other side, by a context beyond its gate",
    )


def launch_bound(evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict | None:
    """A launch that takes what a launch takes."""
    timing = evidence.timing
    if timing is None or not is_launch_bound(timing, thresholds):
        return None
    floor = evidence.floor
    measured = ""
    if floor is not None and floor.is_measured:
        measured = f", and an empty kernel takes {duration(floor.launch_floor_ns)} here"
    return suspected(
        "launch_bound",
        f"median {duration(timing.median_ns)} is at or below the launch floor of "
        f"{duration(thresholds.launch_floor_ns)}{measured}: another shape wins nothing, fewer "
        "launches do",
        ""
        if measured
        else "the time of an empty kernel on this device: geoaudit devices --measure",
    )
