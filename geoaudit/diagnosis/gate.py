"""The gate: which of what ``--fail-on`` names an audit holds, and whether that could be told."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from geoaudit.diagnosis.fail_on import FailOn, parse_fail_on
from geoaudit.diagnosis.finding import Finding
from geoaudit.diagnosis.finding_gate import rule_reasons, severity_reasons
from geoaudit.diagnosis.judged_time import GatedRow, needs, unknown_fraction
from geoaudit.diagnosis.thresholds import JUDGED_TIME
from geoaudit.errors import NotMeasuredError
from geoaudit.quantities import percent, plural

__all__ = ["FailOn", "GateEvidence", "gate", "parse_fail_on"]

INCOMPLETE = ("GA901", "GA903")
"""Rules whose error says that launches are missing: nothing can be passed on what is left."""


@dataclass(frozen=True, kw_only=True)
class GateEvidence:
    """What a gate looks at.

    Attributes:
        findings: all findings, of rows and of the recording.
        rows: all rows that are shown, collectives included.
        wasted_fraction: wasted SM-time / kernel time; None: cannot be told.
        wasted_by: what that is said of.
        replayed: the recording was not made on this machine.
        untold_rules: rules that the source cannot tell, such as dropped records.
    """

    findings: Sequence[Finding]
    rows: Sequence[GatedRow]
    wasted_fraction: float | None
    wasted_by: str = "the kernel time"
    replayed: bool = False
    untold_rules: frozenset[str] = frozenset()


def gate(fail_on: FailOn, evidence: GateEvidence) -> tuple[str, ...]:
    """The reasons to fail, one sentence each; none: the gate is passed.

    In this order: a replay is never judged, since nothing was measured here. What is named and is
    there fails, however incomplete the recording: more of it would not take it away (a waste is
    known from below: an unknown grid adds none). Only then a gate that found nothing asks
    whether it could have: it does not pass where records were dropped, few of the launches were
    recorded, the source never tells a rule that is named, no row is left, or what is named cannot
    be told on more than a fifth of the kernel time. That records were dropped (GA901), or few
    recorded (GA903), fails where the rule itself is named; under a severity it is a recording
    that could not be judged.

    Raises:
        NotMeasuredError: something is named and cannot be judged.
    """
    if fail_on.names_nothing:
        return ()
    if evidence.replayed:
        raise NotMeasuredError(
            "this scan is the shipped recording, replayed: nothing was measured here, so no gate "
            "accepts it. Scan on a machine with a GPU, give a profile, or leave --fail-on out."
        )
    reasons = (
        *rule_reasons(fail_on, evidence.findings),
        *_verdict_reasons(fail_on, evidence.rows),
        *severity_reasons(fail_on, [one for one in evidence.findings if not _says_incomplete(one)]),
        *_waste_reasons(fail_on, evidence),
    )
    if not reasons:
        _require_judged(fail_on, evidence)
    return reasons


def _verdict_reasons(fail_on: FailOn, rows: Sequence[GatedRow]) -> Iterable[str]:
    for name in sorted(fail_on.verdicts):
        reached = [row.verdict for row in rows if row.verdict.name == name]
        if reached:
            yield f"{name}: {plural(len(reached), 'row')}, first: {reached[0].reason}"


def _waste_reasons(fail_on: FailOn, evidence: GateEvidence) -> Iterable[str]:
    bound, wasted = fail_on.wasted_fraction, evidence.wasted_fraction
    if bound is not None and wasted is not None and wasted > bound:
        yield (
            f"waste: {percent(wasted)} of {evidence.wasted_by} is wasted SM-time, more than "
            f"{100 * bound:g} %"
        )


def _require_judged(fail_on: FailOn, evidence: GateEvidence) -> None:
    incomplete = [finding for finding in evidence.findings if _says_incomplete(finding)]
    if incomplete:
        raise _not_judged(
            f"{incomplete[0].rule_id}, {incomplete[0].message}. Record again: a shorter "
            "recording, and one profiler at a time."
        )
    untold = sorted(fail_on.rules & evidence.untold_rules)
    if untold:
        raise _not_judged(f"this source does not tell {', '.join(untold)}. Leave it out.")
    if not evidence.rows:
        raise _not_judged("no row is left to judge. Take a filter away.")
    for need in needs(fail_on):
        unknown = unknown_fraction(evidence.rows, need)
        if unknown > 1 - JUDGED_TIME:
            raise _not_judged(
                f"{need.unknown} for {percent(unknown)} of {need.share_of}. {need.remedy}"
            )
    wasted = evidence.wasted_fraction
    if fail_on.wasted_fraction is not None and (wasted is None or math.isnan(wasted)):
        raise _not_judged(
            "the wasted SM-time cannot be told, because no kernel that is judged, collectives left "
            "out, has both a grid on a known device and a time. Name the device (--device, --sms), "
            "or record again."
        )


def _says_incomplete(finding: Finding) -> bool:
    return finding.rule_id in INCOMPLETE and finding.severity == "error"


def _not_judged(why: str) -> NotMeasuredError:
    return NotMeasuredError(f"--fail-on: nothing named was found, and it could not be told: {why}")
