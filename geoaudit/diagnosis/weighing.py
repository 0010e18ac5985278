"""A verdict from shape weighed against the timing, which may take it back."""

from dataclasses import replace

from geoaudit.diagnosis import deciding
from geoaudit.diagnosis.evidence import SignatureEvidence
from geoaudit.diagnosis.finding import Verdict, VerdictName
from geoaudit.diagnosis.recognition import (
    has_two_groups,
    is_mostly_shared,
    is_near_default_floor,
    shared_time,
    spread_of,
)
from geoaudit.diagnosis.thresholds import Thresholds
from geoaudit.diagnosis.wording import launch_floor
from geoaudit.quantities import percent

_STANDING: frozenset[VerdictName] = frozenset(
    {"communication", "launch_bound", "dud", "contended", "inconclusive"}
)
"""Verdicts that a spread does not take back."""

_FULL: frozenset[VerdictName] = frozenset({"healthy", "bandwidth_bound"})
"""Verdicts that others' kernels beside it do not take back."""


def suspected(name: VerdictName, reason: str, would_decide: str = "") -> Verdict:
    """A verdict as far as one recording goes."""
    return Verdict(name=name, confidence="suspected", reason=reason, would_decide=would_decide)


def confirmed(name: VerdictName, reason: str) -> Verdict:
    """A verdict that a measurement made on purpose bears out."""
    return Verdict(name=name, confidence="confirmed", reason=reason)


def inconclusive(reason: str, would_decide: str) -> Verdict:
    """No verdict, with why not and what would decide it."""
    return Verdict(name="inconclusive", confidence=None, reason=reason, would_decide=would_decide)


def weighed(verdict: Verdict, evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict:
    """The verdict, taken back where the timing disagrees."""
    timing = evidence.timing
    if is_near_default_floor(evidence, thresholds) and verdict.name != "communication":
        near = launch_floor(evidence, thresholds)
        verdict = replace(verdict, reason=f"{verdict.reason}; near {near}")
    if timing is None or verdict.name in _STANDING or verdict.confidence == "confirmed":
        return verdict
    spread = spread_of(timing, thresholds)
    if spread.name == "wide":
        return inconclusive(
            f"{verdict.reason}; but the durations do not repeat: {spread.sentence}",
            deciding.any_of(deciding.alone(evidence), deciding.counted(evidence))
            or "the same recording while nothing else uses the device",
        )
    if has_two_groups(timing):
        distance = percent(timing.mode_distance)
        return inconclusive(
            f"{verdict.reason}; but its launches fall into two groups, {distance} of the median "
            "apart: the work differs from launch to launch, or something slows some of them",
            "which launches are the slow ones: the recording by position (rank --by position)",
        )
    if verdict.name not in _FULL and is_mostly_shared(evidence):
        return inconclusive(
            f"{verdict.reason}; but {percent(shared_time(evidence))} of its time is under other "
            "kernels, which use the SMs it leaves",
            deciding.first_of(deciding.alone(evidence), "the token timed with another grid"),
        )
    return verdict
