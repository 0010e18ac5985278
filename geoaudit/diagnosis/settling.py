"""What interventions make of a verdict: confirmed, overturned, or as it was."""

from collections.abc import Iterator
from dataclasses import replace

from geoaudit.diagnosis.evidence import SignatureEvidence
from geoaudit.diagnosis.finding import Verdict
from geoaudit.diagnosis.interventions import (
    Response,
    alone_against_in_situ,
    alone_ratio,
    response_to_blocks,
    response_to_width,
)
from geoaudit.diagnosis.spread import looks_time_sliced
from geoaudit.diagnosis.weighing import confirmed, inconclusive
from geoaudit.launches.interventions import Intervention
from geoaudit.quantities import percent, plural

NOTABLE_HEAD = 0.1
"""From this share of its time under its predecessor on, a launch in its token holds a wait that it
has not alone: it is not compared."""


def settled(verdict: Verdict, evidence: SignatureEvidence) -> Verdict:
    """The verdict after what was done to the kernel, where something was.

    =======================  ==========================================  =======================
    verdict                  what was found                              becomes
    =======================  ==========================================  =======================
    starved, or between      the time falls with more blocks             starved, confirmed
    starved by one block     the time falls with a wider block           starved, confirmed
    starved                  the time does not change with more blocks   serial, confirmed
    starved                  the time rises with more blocks             inconclusive
    serial                   the time does not change with more blocks   serial, confirmed
    contended                alone it is faster                          contended, confirmed
    contended                alone it takes as long                      inconclusive
    =======================  ==========================================  =======================

    Args:
        verdict: from the recording.
        evidence: with its interventions.
    """
    for intervention in evidence.interventions:
        verdict = _by_blocks(verdict, evidence, intervention)
        verdict = _by_itself(verdict, evidence, intervention)
    return verdict


def told(evidence: SignatureEvidence) -> Iterator[str]:
    """What the interventions found, one sentence each."""
    for intervention in evidence.interventions:
        ratio = alone_ratio(intervention)
        if ratio is not None:
            yield (
                f"alone: {ratio.value:.2f} times its time in the token "
                f"({ratio.low:.2f} to {ratio.high:.2f})"
            )
        for response in (response_to_blocks(intervention), response_to_width(intervention)):
            if response.best is not None:
                yield f"sweep: {_best(response)}"


def _by_blocks(
    verdict: Verdict, evidence: SignatureEvidence, intervention: Intervention
) -> Verdict:
    blocks, width = response_to_blocks(intervention), response_to_width(intervention)
    is_small = (evidence.geometry.sm_fill or 1.0) < 1.0
    if verdict.name not in ("starved", "serial", "inconclusive") or not is_small | (
        verdict.name == "serial"
    ):
        return verdict
    if blocks.trend == "falls" and verdict.name != "serial":
        return _sure(verdict, "starved", blocks)
    if width.trend == "falls" and verdict.name == "starved":
        return _sure(verdict, "starved", width)
    if blocks.trend == "flat" and verdict.name in ("starved", "serial"):
        return _sure(verdict, "serial", blocks)
    if blocks.trend == "rises" and verdict.name == "starved":
        return inconclusive(
            f"{verdict.reason}; but {_best(blocks)}: more blocks do not help",
            "counters (--counters): what its warps wait for",
        )
    return verdict


def _by_itself(
    verdict: Verdict, evidence: SignatureEvidence, intervention: Intervention
) -> Verdict:
    concurrency = evidence.concurrency
    if concurrency is not None and (concurrency.predecessor or 0.0) >= NOTABLE_HEAD:
        return verdict
    compared, ratio = alone_against_in_situ(intervention), alone_ratio(intervention)
    if ratio is None or compared not in ("like", "faster"):
        return verdict
    alone = f"alone it takes {percent(ratio.value)} of its time in the token"
    if verdict.name == "contended" and evidence.timing and looks_time_sliced(evidence.timing):
        return verdict  # slices leave the median, which is what was compared
    if verdict.name == "contended" and compared == "faster":
        return replace(
            confirmed("contended", f"{verdict.reason}; {alone}"), ruled_out=verdict.ruled_out
        )
    if verdict.name == "contended":
        return inconclusive(
            f"{verdict.reason}; but {alone}", "the recording again, and counters (--counters)"
        )
    if compared == "like" and verdict.name != "inconclusive":
        return replace(verdict, ruled_out=(f"not contention: {alone}", *verdict.ruled_out))
    return verdict


def _sure(verdict: Verdict, name: str, response: Response) -> Verdict:
    """The verdict as the sweep bears it out."""
    sure = confirmed("serial" if name == "serial" else "starved", "")
    return replace(sure, reason=f"{verdict.reason}; {_best(response)}", ruled_out=verdict.ruled_out)


def _best(response: Response) -> str:
    best, speedup = response.best, response.speedup
    if best is None or speedup is None:
        return "nothing was tried"
    blocks = plural(best.grid_blocks, "block")
    times = f"{speedup:.1f} times as fast" if speedup >= 1 else f"{1 / speedup:.2f} times as long"
    return f"{best.setting}, {blocks} of {best.block_threads:,} threads: {times} alone"
