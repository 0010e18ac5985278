"""Findings and verdicts: the values every judgement of geoaudit is expressed in."""

from dataclasses import dataclass
from typing import Literal, get_args

Severity = Literal["error", "warning", "note"]
Confidence = Literal["suspected", "confirmed"]
VerdictName = Literal[
    "starved",
    "tail",
    "occupancy_limited",
    "imbalanced",
    "serial",
    "launch_bound",
    "dud",
    "bandwidth_bound",
    "compute_bound",
    "contended",
    "communication",
    "healthy",
    "inconclusive",
]
VERDICTS: tuple[VerdictName, ...] = get_args(VerdictName)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One rule that fired.

    Attributes:
        rule_id: stable id, ``GA101``.
        rule_name: reads after "allow ...", ``grid-smaller-than-device``.
        severity: error, warning or note.
        message: one sentence with the numbers it rests on.
        kernel: the kernel it is about, whole name; None: about the recording.
    """

    rule_id: str
    rule_name: str
    severity: Severity
    message: str
    kernel: str | None = None


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What holds a kernel back, and on what evidence.

    Attributes:
        name: one of the verdicts.
        confidence: ``suspected`` from one recording, ``confirmed`` by an intervention; None for
            ``inconclusive``.
        reason: one sentence with the numbers it rests on.
        rests_on: all evidence that there is, one sentence each.
        ruled_out: alternative -> the number that rules it out, as sentences.
        would_decide: what measurement would settle or strengthen it; empty when nothing would.
    """

    name: VerdictName
    confidence: Confidence | None
    reason: str
    rests_on: tuple[str, ...] = ()
    ruled_out: tuple[str, ...] = ()
    would_decide: str = ""
