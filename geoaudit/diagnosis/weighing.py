"""A verdict from shape weighed against the timing: what is ruled out, and what is taken back."""

from dataclasses import replace

from geoaudit.diagnosis.evidence import SignatureEvidence, Timing
from geoaudit.diagnosis.finding import Verdict, VerdictName
from geoaudit.diagnosis.recognition import (
    Spread,
    is_mostly_overlapped,
    is_near_launch_floor,
    spread_of,
)
from geoaudit.diagnosis.thresholds import Thresholds
from geoaudit.quantities import duration, percent


def suspected(name: VerdictName, reason: str, would_decide: str = "") -> Verdict:
    """A verdict as far as one recording goes."""
    return Verdict(name=name, confidence="suspected", reason=reason, would_decide=would_decide)


def inconclusive(reason: str, would_decide: str) -> Verdict:
    """No verdict, with why not and what would decide it."""
    return Verdict(name="inconclusive", confidence=None, reason=reason, would_decide=would_decide)


def weighed(verdict: Verdict, evidence: SignatureEvidence, thresholds: Thresholds) -> Verdict:
    """The verdict with what the timing rules out, or taken back where the timing disagrees."""
    timing = evidence.timing
    if is_near_launch_floor(timing, thresholds) and verdict.name != "communication":
        floor = duration(thresholds.launch_floor_ns)
        verdict = replace(verdict, reason=f"{verdict.reason}; near the launch floor of {floor}")
    if timing is None or verdict.name in ("communication", "launch_bound", "inconclusive"):
        return verdict
    spread = spread_of(timing, thresholds)
    if spread.name == "wide":
        return inconclusive(
            f"{verdict.reason}; but the durations do not repeat: {spread.sentence}",
            "the kernel replayed alone, or counters: contention, or work that differs from launch "
            "to launch",
        )
    if verdict.name != "healthy" and is_mostly_overlapped(timing):
        share = percent(timing.overlapped_fraction or 0)
        return inconclusive(
            f"{verdict.reason}; but {share} of its time is under other kernels, which use the SMs "
            "it leaves",
            "the kernel replayed alone, and the token timed with another grid",
        )
    return replace(verdict, ruled_out=_ruled_out(timing, spread, thresholds))


def _ruled_out(timing: Timing, spread: Spread, thresholds: Thresholds) -> tuple[str, ...]:
    sentences = []
    if spread.name == "tight":
        sentences.append(f"not contention: {spread.sentence}")
    floors = timing.median_ns / thresholds.launch_floor_ns
    if floors >= 2:
        sentences.append(
            f"not the launch itself: {duration(timing.median_ns)} is {floors:.1f} times the "
            f"launch floor of {duration(thresholds.launch_floor_ns)}"
        )
    if timing.overlapped_fraction is not None and timing.overlapped_fraction < 0.05:
        sentences.append(
            f"not other streams: {percent(timing.overlapped_fraction)} of its time is under "
            "other kernels"
        )
    return tuple(sentences)
