"""The gate: what ``--fail-on`` names, and which of it an audit holds."""

import difflib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

from geoaudit.diagnosis.finding import Finding, Severity, Verdict, VerdictName
from geoaudit.diagnosis.rule import SEVERITIES
from geoaudit.diagnosis.rules import all_rules
from geoaudit.errors import InputError, NotMeasuredError
from geoaudit.quantities import percent, plural

VERDICTS: tuple[VerdictName, ...] = get_args(VerdictName)

_WASTE = re.compile(r"waste\s*>\s*(\d+(?:\.\d+)?)\s*%", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class FailOn:
    """What a command fails on.

    Attributes:
        rules: rule ids.
        verdicts: verdicts.
        severity: this severity or a worse one; None: no severity is named.
        wasted_fraction: more wasted SM-time than this share of the kernel time; None: not named.
    """

    rules: frozenset[str] = frozenset()
    verdicts: frozenset[VerdictName] = frozenset()
    severity: Severity | None = None
    wasted_fraction: float | None = None

    @property
    def names_nothing(self) -> bool:
        """Whether nothing can fail."""
        return self == FailOn()


def parse_fail_on(text: str) -> FailOn:
    """Read a comma-separated list of rules, verdicts, severities and ``waste>N%``.

    Case does not matter, and ``-`` and ``_`` are the same. Of several severities, or several
    ``waste``, the one that fails on more counts. Empty text names nothing.

    Raises:
        InputError: a word is none of these; the message names the nearest.
    """
    words = [word.strip() for word in text.split(",") if word.strip()]
    rules, verdicts, severities, wastes = set(), set(), [], []
    known_rules = {
        _key(spelled): rule.id for rule in all_rules() for spelled in (rule.id, rule.name)
    }
    known_verdicts = {_key(name): name for name in VERDICTS}
    known_severities = {_key(name): name for name in SEVERITIES}
    for word in words:
        key = _key(word)
        if key in known_rules:
            rules.add(known_rules[key])
        elif key in known_verdicts:
            verdicts.add(known_verdicts[key])
        elif key in known_severities:
            severities.append(known_severities[key])
        elif key.startswith("waste"):
            wastes.append(_waste(word))
        else:
            raise _unknown(word, (*known_rules, *known_verdicts, *known_severities))
    return FailOn(
        rules=frozenset(rules),
        verdicts=frozenset(verdicts),
        severity=max(severities, key=SEVERITIES.index, default=None),
        wasted_fraction=min(wastes, default=None),
    )


def gate(
    fail_on: FailOn,
    findings: Sequence[Finding],
    verdicts: Iterable[Verdict],
    wasted_fraction: float | None,
) -> tuple[str, ...]:
    """The reasons to fail, one sentence each; none: the gate is passed.

    Args:
        fail_on: what to fail on.
        findings: all findings, of rows and of the recording.
        verdicts: the verdict of every row.
        wasted_fraction: wasted SM-time / kernel time of the token; None: cannot be told.

    Raises:
        NotMeasuredError: ``waste`` is named and cannot be told.
    """
    return (
        *_rule_reasons(fail_on, findings),
        *_verdict_reasons(fail_on, verdicts),
        *_severity_reasons(fail_on, findings),
        *_waste_reasons(fail_on, wasted_fraction),
    )


def require_measured(replayed: bool, fail_on: FailOn) -> None:
    """Refuse to gate on a recording that was not made on this machine.

    Raises:
        NotMeasuredError: the scan is replayed and something is named to fail on.
    """
    if replayed and not fail_on.names_nothing:
        raise NotMeasuredError(
            "this scan is the shipped recording, replayed: nothing was measured here, so no gate "
            "accepts it. Scan on a machine with a GPU, give a profile, or leave --fail-on out."
        )


def _rule_reasons(fail_on: FailOn, findings: Sequence[Finding]) -> Iterable[str]:
    for rule_id in sorted(fail_on.rules):
        fired = [finding for finding in findings if finding.rule_id == rule_id]
        if fired:
            yield f"{rule_id} {fired[0].rule_name}: {_first_of(fired)}"


def _verdict_reasons(fail_on: FailOn, verdicts: Iterable[Verdict]) -> Iterable[str]:
    judged = list(verdicts)
    for name in sorted(fail_on.verdicts):
        reached = [verdict for verdict in judged if verdict.name == name]
        if reached:
            yield f"{name}: {plural(len(reached), 'row')}, first: {reached[0].reason}"


def _severity_reasons(fail_on: FailOn, findings: Sequence[Finding]) -> Iterable[str]:
    if fail_on.severity is None:
        return
    for severity in SEVERITIES[: SEVERITIES.index(fail_on.severity) + 1]:
        fired = [finding for finding in findings if finding.severity == severity]
        if fired:
            yield f"{severity}: {_first_of(fired)}"


def _waste_reasons(fail_on: FailOn, wasted_fraction: float | None) -> Iterable[str]:
    if fail_on.wasted_fraction is None:
        return
    if wasted_fraction is None or math.isnan(wasted_fraction):
        raise NotMeasuredError(
            "--fail-on waste: the wasted SM-time cannot be told, because no launch has both a "
            "grid on a known device and a time. Name the device (--device, --sms), or record again."
        )
    if wasted_fraction > fail_on.wasted_fraction:
        yield (
            f"waste: {percent(wasted_fraction)} of the kernel time is wasted SM-time, more than "
            f"{100 * fail_on.wasted_fraction:g} %"
        )


def _first_of(findings: Sequence[Finding]) -> str:
    first = findings[0]
    kernel = f" ({first.kernel})" if first.kernel else ""
    return f"{plural(len(findings), 'finding')}, first: {first.message}{kernel}"


def _waste(word: str) -> float:
    match = _WASTE.fullmatch(word)
    if match is None or float(match[1]) > 100:
        raise InputError(
            f"--fail-on {_shown(word)}: write waste>N% with N from 0 to 100, quoted for the shell: "
            "--fail-on 'waste>10%'."
        )
    return float(match[1]) / 100


def _unknown(word: str, known: Iterable[str]) -> InputError:
    near = difflib.get_close_matches(_key(word), known, n=3, cutoff=0.5)
    spelled = [key.upper() if key.startswith("ga") else key for key in near]
    hint = f" Nearest: {', '.join(spelled)}." if spelled else ""
    return InputError(
        f"--fail-on {_shown(word)}: neither a rule, a verdict, a severity (error, warning, note) "
        f"nor waste>N%.{hint} `geoaudit explain` lists rules and verdicts."
    )


def _shown(word: str) -> str:
    return repr(word if len(word) <= 60 else word[:60] + "...")


def _key(word: str) -> str:
    return word.casefold().replace("-", "_")
