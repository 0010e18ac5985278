"""Remarks that allow a rule at a launch: ``// geoaudit: allow GA401 small by design``."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from geoaudit.diagnosis.finding import Finding, Severity
from geoaudit.shardcheck.program.file_program import FileProgram
from geoaudit.shardcheck.report import AllowedFinding, SiteReport, SourceNote

_ALLOWANCE = re.compile(
    r"geoaudit:\s*allow\b[ \t]*(?P<rules>[\w-]+(?:\s*,\s*[\w-]+)*)?[ \t]*(?P<reason>[^\n]*)"
)
_ENDS = " \t:;()-*/#\"'"


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """A remark that means to allow rules.

    Attributes:
        path, line: the line it speaks of.
        rules: as written.
        reason: why they are allowed; empty: none is given.
    """

    path: str
    line: int
    rules: tuple[str, ...]
    reason: str


def allowances_of(programs: Iterable[FileProgram]) -> tuple[Allowance, ...]:
    """All remarks of programs that mean to allow a rule, by path and line."""
    found = set()
    for program in programs:
        for part in (program, *program.embedded):
            for remark in part.remarks:
                found |= {
                    Allowance(
                        path=program.path,
                        line=remark.line,
                        rules=tuple(re.findall(r"[\w-]+", match["rules"] or "")),
                        reason=match["reason"].strip(_ENDS),
                    )
                    for match in _ALLOWANCE.finditer(remark.text)
                }
    return tuple(sorted(found, key=lambda one: (one.path, one.line, one.rules, one.reason)))


def apply_allowances(
    sites: Sequence[SiteReport], allowances: Sequence[Allowance], rules: Mapping[str, str]
) -> tuple[tuple[SiteReport, ...], tuple[SourceNote, ...]]:
    """The sites without the findings that remarks allow, and what is to be said of remarks.

    A remark counts on the line of a launch, and on the line above unless a launch stands there.
    One that allows nothing is told: it gives no reason or names no rule, or no such finding is
    there.

    Args:
        sites: with all findings.
        allowances: of the programs they are in.
        rules: id and name of each rule, in small letters -> its id.
    """
    notes: list[SourceNote] = []
    valid: dict[tuple[str, int, str], Allowance] = {}
    for allowance in allowances:
        valid |= _keys(allowance, rules, notes)
    used: set[tuple[str, int, str]] = set()
    launches = {(report.site.path, report.site.line) for report in sites}
    judged = tuple(_allowed(report, launches, valid, used) for report in sites)
    for key in valid.keys() - used:
        text = (
            f"allows {key[2]}, which is not found at this launch with these ranks and sizes; take "
            "the remark away where no others are checked"
        )
        notes.append(_note(valid[key], "note", text))
    return judged, tuple(sorted(notes, key=lambda note: (note.path, note.line, note.text)))


def _keys(
    allowance: Allowance, rules: Mapping[str, str], notes: list[SourceNote]
) -> dict[tuple[str, int, str], Allowance]:
    """Path, line and rule id of what a remark allows; adds what is wrong with it to `notes`."""
    if not allowance.rules:
        text = "allows no rule: write `geoaudit: allow RULE reason`"
        notes.append(_note(allowance, "error", text))
        return {}
    if not allowance.reason:
        text = (
            f"allows {', '.join(allowance.rules)} without a reason, so it does not count: say why "
            "after the rule"
        )
        notes.append(_note(allowance, "note", text))
        return {}
    found = {}
    for word in allowance.rules:
        rule_id = rules.get(word.casefold())
        if rule_id is None:
            text = f"allows {word[:60]}, which is no rule; `geoaudit explain` lists them"
            notes.append(_note(allowance, "error", text))
        else:
            found[allowance.path, allowance.line, rule_id] = allowance
    return found


def _allowed(
    report: SiteReport,
    launches: Collection[tuple[str, int]],
    valid: Mapping[tuple[str, int, str], Allowance],
    used: set[tuple[str, int, str]],
) -> SiteReport:
    kept: list[Finding] = []
    suppressed = list(report.suppressed)
    for finding in report.findings:
        path, line = report.site.path, report.site.line
        lines = (line,) if (path, line - 1) in launches else (line, line - 1)
        keys = [(path, line, finding.rule_id) for line in lines]
        key = next((key for key in keys if key in valid), None)
        if key is None:
            kept.append(finding)
        else:
            used.add(key)
            suppressed.append(AllowedFinding(finding=finding, reason=valid[key].reason))
    return replace(report, findings=tuple(kept), suppressed=tuple(suppressed))


def _note(allowance: Allowance, severity: Severity, text: str) -> SourceNote:
    return SourceNote(path=allowance.path, line=allowance.line, severity=severity, text=text)
