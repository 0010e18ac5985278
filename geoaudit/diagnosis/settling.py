"""What interventions make of a verdict: confirmed, overturned, or as it was."""

from collections.abc import Iterator
from dataclasses import replace
from statistics import median

from geoaudit.diagnosis import deciding
from geoaudit.diagnosis.evidence import SignatureEvidence
from geoaudit.diagnosis.finding import Verdict, VerdictName
from geoaudit.diagnosis.interventions import (
    Response,
    alone_against_in_situ,
    alone_ratio,
    response_to_blocks,
    response_to_width,
)
from geoaudit.diagnosis.recognition import (
    is_mostly_shared,
    leaves_threads_unfilled,
    slots_filled,
    thread_bound,
)
from geoaudit.diagnosis.spread import looks_time_sliced
from geoaudit.diagnosis.thresholds import FILLED_SM_FILL, UNFILLED_THREADS
from geoaudit.diagnosis.weighing import confirmed, inconclusive
from geoaudit.diagnosis.wording import against_floor, grid_on_sms, waiting
from geoaudit.launches.interventions import Intervention
from geoaudit.quantities import duration, percent, plural

NOTABLE_HEAD = 0.1
"""From this share of its time under its predecessor on, a launch in its token holds a wait that it
has not alone: it is not compared."""

CEILING_MARGIN = 0.05
"""What a sweep may win beyond the share of the SMs, or of the thread slots, that is empty."""


def settled(verdict: Verdict, evidence: SignatureEvidence) -> Verdict:
    """The verdict after what was done to the kernel, where something was.

    =======================  ==========================================  =======================
    verdict                  what was found                              becomes
    =======================  ==========================================  =======================
    starved, or between      the same kernel's time falls with more      starved, confirmed
                             blocks, by no more than empty SMs explain
    starved by one block     the same, with a wider block                starved, confirmed
    starved                  the same kernel's time does not change      serial, confirmed
                             with more blocks
    starved                  the time rises with more blocks             inconclusive
    few threads on each SM   the same kernel is faster with more, by no  occupancy_limited,
                             more than empty slots explain               confirmed
    serial                   the same kernel's time does not change      serial, confirmed
                             with more blocks
    serial                   another shape of the kernel is faster       inconclusive
    bandwidth_bound          another shape is faster                     suspected again
    contended, by what       alone it is faster                          contended, confirmed
    runs beside it
    contended                alone it takes as long                      inconclusive
    =======================  ==========================================  =======================

    A sweep is made alone: it says nothing where the launch alone is not as long as in its token,
    or where others use the SMs it leaves there.

    Args:
        verdict: from the recording.
        evidence: with its interventions.
    """
    for intervention in evidence.interventions:
        if _is_alone_telling(evidence, intervention):
            verdict = _by_sweep(verdict, evidence, intervention)
        verdict = _by_itself(verdict, evidence, intervention)
    return verdict


def told(evidence: SignatureEvidence) -> Iterator[str]:
    """What the interventions found, one sentence each."""
    for intervention in evidence.interventions:
        ratio = alone_ratio(intervention)
        if ratio is not None:
            yield (
                f"alone: {duration(median(intervention.alone_ns))}, {ratio.value:.2f} times its "
                f"time in the token ({ratio.low:.2f} to {ratio.high:.2f})"
            )
        for response in (response_to_blocks(intervention), response_to_width(intervention)):
            if response.best is not None:
                yield f"sweep: {_best(response)}"


def _is_alone_telling(evidence: SignatureEvidence, intervention: Intervention) -> bool:
    """Whether the launch alone is the launch in its token."""
    if is_mostly_shared(evidence):
        return False
    return _has_head(evidence) or alone_against_in_situ(intervention) == "like"


def _has_head(evidence: SignatureEvidence) -> bool:
    concurrency = evidence.concurrency
    return concurrency is not None and (concurrency.predecessor or 0.0) >= NOTABLE_HEAD


def _by_sweep(verdict: Verdict, evidence: SignatureEvidence, intervention: Intervention) -> Verdict:
    blocks, width = response_to_blocks(intervention), response_to_width(intervention)
    fill = evidence.geometry.sm_fill or 1.0
    if verdict.name == "starved" or (verdict.name == "inconclusive" and fill < FILLED_SM_FILL):
        return _starved_or_not(verdict, evidence, blocks, width)
    if verdict.name in ("inconclusive", "occupancy_limited") and leaves_threads_unfilled(
        evidence, UNFILLED_THREADS
    ):
        return _unfilled_or_not(verdict, evidence, blocks, width)
    winner = max(
        (one for one in (blocks, width) if one.speedup is not None),
        key=lambda one: one.speedup or 0.0,
        default=None,
    )
    if winner is None:
        return verdict
    if verdict.name == "serial" and blocks.trend == "flat" and blocks.is_same_kernel:
        return _sure("serial", verdict.reason, blocks)
    if verdict.name == "serial" and verdict.confidence == "suspected" and winner.is_faster:
        return _serial_or_not(verdict, evidence, winner)
    if verdict.name == "bandwidth_bound" and winner.is_faster:
        reason = f"{verdict.reason}; yet {_best(winner)}"
        decides = "the token timed with that shape"
        return replace(verdict, confidence="suspected", reason=reason, would_decide=decides)
    return verdict


def _serial_or_not(verdict: Verdict, evidence: SignatureEvidence, winner: Response) -> Verdict:
    """Another shape shortens no chain; other code for the same work may."""
    if winner.is_same_kernel:
        return inconclusive(
            f"{waiting(evidence)}; yet {_best(winner)}: no chain within a thread gets shorter so",
            deciding.STALLS,
        )
    return replace(
        verdict,
        reason=f"{verdict.reason}; other code for the same work waits less: {_best(winner)}",
        would_decide=deciding.first_of(deciding.another_shape(evidence), deciding.STALLS),
    )


def _unfilled_or_not(
    verdict: Verdict, evidence: SignatureEvidence, blocks: Response, width: Response
) -> Verdict:
    """Whether more threads on the same SMs help."""
    filled = thread_bound(evidence)
    for response in (blocks, width):
        if response.is_faster and _is_explained(response, filled):
            return _sure("occupancy_limited", slots_filled(evidence), response)
    return verdict


def _starved_or_not(
    verdict: Verdict, evidence: SignatureEvidence, blocks: Response, width: Response
) -> Verdict:
    fill = evidence.geometry.sm_fill
    reason = against_floor(evidence)
    reason = f"{reason}: {grid_on_sms(evidence)}" if reason else grid_on_sms(evidence)
    if blocks.trend == "falls" and _is_explained(blocks, fill):
        return _sure("starved", reason, blocks)
    if verdict.name != "starved":
        return verdict
    if evidence.geometry.grid_blocks == 1 and width.trend == "falls":
        if _is_explained(width, fill):
            return _sure("starved", verdict.reason, width)
        return _told_besides(verdict, width)
    if blocks.trend == "flat" and blocks.is_same_kernel:
        return _sure("serial", reason, blocks)
    if blocks.trend == "rises":
        return inconclusive(
            f"{verdict.reason}; but {_best(blocks)}: more blocks do not help",
            deciding.STALLS,
        )
    return _told_besides(verdict, blocks) if blocks.trend == "falls" else verdict


def _told_besides(verdict: Verdict, response: Response) -> Verdict:
    """The verdict with a gain that does not settle it."""
    if response.is_same_kernel:
        told, decides = "empty SMs alone do not explain that", deciding.STALLS
    else:
        told = "what of that is the shape's and what the other code's cannot be told"
        decides = "the same kernel under another shape"
    reason = f"{verdict.reason}; {_best(response)}: {told}"
    return replace(verdict, reason=reason, would_decide=decides)


def _is_explained(response: Response, fill: float | None) -> bool:
    """Whether the same kernel gained no more than what is empty (SMs, slots) can account for."""
    speedup = response.speedup
    if fill is None or not speedup or not response.is_same_kernel:
        return False
    return 1.0 - 1.0 / speedup <= 1.0 - fill + CEILING_MARGIN


def _by_itself(
    verdict: Verdict, evidence: SignatureEvidence, intervention: Intervention
) -> Verdict:
    if _has_head(evidence):
        return verdict
    compared, ratio = alone_against_in_situ(intervention), alone_ratio(intervention)
    if ratio is None or compared not in ("like", "faster"):
        return verdict
    alone = f"alone it takes {percent(ratio.value)} of its time in the token"
    if verdict.name == "contended" and evidence.timing and looks_time_sliced(evidence.timing):
        return verdict  # slices leave the median, which is what was compared
    if verdict.name == "contended" and compared == "faster" and not is_mostly_shared(evidence):
        return verdict  # by its spread alone: nothing was seen beside it
    if verdict.name == "contended" and compared == "faster":
        return confirmed("contended", f"{verdict.reason}; {alone}")
    if verdict.name == "contended":
        return inconclusive(
            f"{verdict.reason}; but {alone}",
            deciding.first_of(deciding.counted(evidence), "the recording again"),
        )
    return verdict


def ruled_out_alone(name: VerdictName, evidence: SignatureEvidence) -> Iterator[str]:
    """Contention, where the launch alone takes as long as in its token."""
    if name == "contended" or is_mostly_shared(evidence) or _has_head(evidence):
        return
    for intervention in evidence.interventions:
        ratio = alone_ratio(intervention)
        if ratio is not None and alone_against_in_situ(intervention) == "like":
            alone = f"alone it takes {percent(ratio.value)} of its time in the token"
            yield f"not contention: {alone}"


def _sure(name: VerdictName, reason: str, response: Response) -> Verdict:
    """The verdict as the sweep bears it out."""
    return confirmed(name, f"{reason}; {_best(response)}")


def _best(response: Response) -> str:
    best, speedup = response.best, response.speedup
    if best is None or speedup is None:
        return "nothing was tried"
    blocks = plural(best.grid_blocks, "block")
    times = f"{speedup:.1f} times as fast" if speedup >= 1 else f"{1 / speedup:.2f} times as long"
    other = "" if response.is_same_kernel or not best.kernel_short else f" of {best.kernel_short}"
    return f"{best.setting}, {blocks} of {best.block_threads:,} threads{other}: {times} alone"
