"""Launches that are what they are whatever their grid: collectives, duds, launches at the floor."""

from geoaudit.diagnosis.evidence import SignatureEvidence
from geoaudit.diagnosis.finding import Verdict
from geoaudit.diagnosis.recognition import is_launch_bound, own_time_ns
from geoaudit.diagnosis.thresholds import Thresholds
from geoaudit.diagnosis.weighing import suspected
from geoaudit.diagnosis.wording import launch_floor
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
    timing, floor = evidence.timing, evidence.floor
    if timing is None or not is_launch_bound(evidence, thresholds):
        return None
    took = f"median {duration(own_time_ns(evidence))}"
    helps = "another shape wins little, fewer launches do"
    if floor is None or not floor.launch_floor_is_measured:
        return suspected(
            "launch_bound",
            f"{took} is at or below {launch_floor(evidence, thresholds)}: {helps}",
            "an empty kernel's time on that device, which a recording carries that is made after "
            "geoaudit devices --measure",
        )
    least = launch_floor(evidence, thresholds)
    if floor.latency_ns is not None:
        least += f" and the {duration(floor.latency_ns)} of a trip to memory"
    times = f"{thresholds.near_floor_ratio:g} times"
    return suspected("launch_bound", f"{took} is within {times} {least}: {helps}")
