"""Pieces of the sentences that verdicts are made of."""

from geoaudit.diagnosis.evidence import SignatureEvidence
from geoaudit.diagnosis.thresholds import Thresholds
from geoaudit.quantities import duration, percent, plural


def grid_on_sms(evidence: SignatureEvidence) -> str:
    """``12 blocks on 132 SMs (9.1 % have work)``."""
    geometry = evidence.geometry
    blocks = plural(geometry.grid_blocks or 0, "block")
    if geometry.sm_fill is None:
        return blocks
    return f"{blocks} on {geometry.usable_sms} SMs ({percent(geometry.sm_fill)} have work)"


def median(evidence: SignatureEvidence) -> str:
    """The median duration as text."""
    return "an unknown time" if evidence.timing is None else duration(evidence.timing.median_ns)


def against_floor(evidence: SignatureEvidence) -> str | None:
    """``87.0 µs against a floor of 900 ns (96.7 times)``; None where no bytes are known."""
    floor, ratio = evidence.floor, floor_ratio_of(evidence)
    if floor is None or ratio is None:
        return None
    kind = "floor" if floor.bytes_source == "compulsory" else "traffic floor"
    time_ns = floor.time_ns
    if time_ns is None and evidence.timing is not None:
        time_ns = evidence.timing.median_ns
    return f"{duration(time_ns)} against a {kind} of {duration(floor.floor_ns)} ({ratio:.2f} times)"


def launch_floor_ns(evidence: SignatureEvidence, thresholds: Thresholds) -> float:
    """What a launch that does nothing takes: measured, else the default."""
    floor = evidence.floor
    is_measured = floor is not None and floor.launch_floor_is_measured
    return floor.launch_floor_ns if floor and is_measured else thresholds.launch_floor_ns


def launch_floor(evidence: SignatureEvidence, thresholds: Thresholds) -> str:
    """``the launch floor of 608 ns``, and where it is a default that it is one."""
    floor = evidence.floor
    kind = "" if floor is not None and floor.launch_floor_is_measured else "default "
    return f"the {kind}launch floor of {duration(launch_floor_ns(evidence, thresholds))}"


def waiting(evidence: SignatureEvidence) -> str:
    """``264 blocks on 132 SMs ..., busy 99 % of 60 µs, with their busiest unit at 5 % ...``."""
    counters = evidence.counters
    active = None if counters is None else counters.sm_active_fraction
    compute = None if counters is None else counters.sm_throughput_fraction
    return (
        f"{grid_on_sms(evidence)}, busy {percent(active)} of {median(evidence)}, with their "
        f"busiest unit at {percent(compute)} and memory at {percent(dram_share_of(evidence))} of "
        "what they can do"
    )


def floor_ratio_of(evidence: SignatureEvidence) -> float | None:
    """Duration / floor, each launch by its own; None where bytes or bandwidth are not known."""
    return None if evidence.floor is None else evidence.floor.floor_ratio


def dram_share_of(evidence: SignatureEvidence) -> float | None:
    """Counted traffic / what a copy moves in the same time; None where either is unknown."""
    floor, counters, timing = evidence.floor, evidence.counters, evidence.timing
    if floor is None or counters is None or timing is None or timing.median_ns <= 0:
        return None
    if counters.dram_bytes is None or floor.bandwidth_bytes_per_second is None:
        return None
    return counters.dram_bytes / (floor.bandwidth_bytes_per_second * timing.median_ns * 1e-9)


def amplification_of(evidence: SignatureEvidence) -> float | None:
    """Counted traffic / compulsory bytes; None where either is unknown."""
    floor, counters = evidence.floor, evidence.counters
    if floor is None or counters is None or floor.bytes_source != "compulsory" or not floor.bytes:
        return None
    return None if counters.dram_bytes is None else counters.dram_bytes / floor.bytes


def busiest_while_active(evidence: SignatureEvidence) -> float | None:
    """The busiest unit's share of its peak while an SM has a warp; None where either is unknown.

    The counter is a mean over all SMs: of 12 busy ones among 132 it says 9 %.
    """
    counters = evidence.counters
    if counters is None or counters.sm_throughput_fraction is None:
        return None
    if not counters.sm_active_fraction:
        return None
    return min(1.0, counters.sm_throughput_fraction / counters.sm_active_fraction)
