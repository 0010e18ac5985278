"""Findings of a shard check as SARIF 2.1.0: on the launch's line, the derivation as code flow."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from geoaudit import __version__
from geoaudit.diagnosis.finding import Severity
from geoaudit.diagnosis.rule import Rule
from geoaudit.render.row_record import Plain
from geoaudit.shardcheck.listing import ListedFinding, ListedSite, Listing

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "note"}


def render_shard_sarif(listing: Listing, rules: Sequence[Rule], folder: str) -> str:
    """The findings as one SARIF log, the same bytes for the same check.

    Allowed findings and known ones are in it as suppressed, in the source and by the baseline;
    places that were not understood are notifications of the run.

    Args:
        listing: of the check.
        rules: rules on sources, by id.
        folder: path or URI from the repository's top to the root of the check; empty: the same.
    """
    log: dict[str, Plain] = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [_run(listing, rules, folder)],
    }
    return json.dumps(log, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def _run(listing: Listing, rules: Sequence[Rule], folder: str) -> dict[str, Plain]:
    writer = _Writer([rule.id for rule in rules], folder)
    notifications: list[Plain] = [
        writer.notification("warning", one.path, one.line, f"not analysed: {one.reason}")
        for one in listing.unanalysed
    ]
    notifications += [
        writer.notification(_LEVELS[one.severity], one.path, one.line, one.text)
        for one in listing.notes
    ]
    results: list[Plain] = [*writer.results(listing.sites)]
    return {
        "tool": {
            "driver": {
                "name": "geoaudit",
                "semanticVersion": __version__,
                "rules": [_rule(rule) for rule in rules],
            }
        },
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notifications}],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }


def _rule(rule: Rule) -> dict[str, Plain]:
    return {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": f"{rule.summary}."},
        "fullDescription": {"text": f"{rule.summary}."},
        "help": {"text": rule.page},
        "defaultConfiguration": {"level": _LEVELS[rule.severities[0]]},
        "properties": {"tags": [rule.name, "performance"]},
    }


def _suppression(kind: str, reason: str) -> dict[str, Plain]:
    return {"kind": kind, "status": "accepted", "justification": reason}


class _Writer:
    """Makes results; knows the rules' places and where the root of the check is."""

    def __init__(self, rule_ids: Sequence[str], folder: str) -> None:
        self._index = {rule_id: number for number, rule_id in enumerate(rule_ids)}
        self._folder = folder
        self._occurrences: Counter[str] = Counter()

    def results(self, sites: Iterable[ListedSite]) -> Iterable[Plain]:
        """Findings, then known and allowed ones, of each site."""
        for site in sites:
            for finding in site.findings:
                yield self._result(site, finding, [])
            for finding in site.known:
                yield self._result(site, finding, [_suppression("external", "in the baseline")])
            for allowed in site.suppressed:
                by_remark = _suppression("inSource", allowed.reason)
                yield self._result(site, allowed.finding, [by_remark])

    def notification(self, level: str, path: str, line: int, text: str) -> Plain:
        """What is to be said of the run."""
        told: dict[str, Plain] = {"level": level, "message": {"text": text}}
        if path:
            told["locations"] = [{"physicalLocation": self._place(path, line)}]
        return told

    def _result(
        self, site: ListedSite, finding: ListedFinding, suppressions: list[Plain]
    ) -> dict[str, Plain]:
        result: dict[str, Plain] = {
            "ruleId": finding.rule_id,
            "level": _LEVELS[finding.severity],
            "message": {"text": f"{site.kernel}: {finding.message}"},
            "locations": [{"physicalLocation": self._place(site.path, site.line)}],
            "partialFingerprints": {"launch/v1": self._fingerprint(site, finding.rule_id)},
        }
        if finding.rule_id in self._index:
            result["ruleIndex"] = self._index[finding.rule_id]
        if site.chain:
            result["codeFlows"] = [{"threadFlows": [{"locations": self._flow(site)}]}]
        if suppressions:
            result["suppressions"] = suppressions
        return result

    def _flow(self, site: ListedSite) -> list[Plain]:
        return [
            {
                "location": {
                    "physicalLocation": self._place(hop.path, hop.line),
                    "message": {"text": hop.text},
                }
            }
            for hop in site.chain
        ]

    def _place(self, path: str, line: int) -> dict[str, Plain]:
        inside = f"{self._folder.rstrip('/')}/{path}" if self._folder else path
        uri = path if path.startswith("/") else inside
        place: dict[str, Plain] = {"artifactLocation": {"uri": quote(uri, safe="/:")}}
        if line > 0:
            place["region"] = {"startLine": line}
        return place

    def _fingerprint(self, site: ListedSite, rule_id: str) -> str:
        """Stays the same where lines move: path, function, kernel, rule, number among the same."""
        told = "\0".join((site.path, site.function, site.kernel, rule_id))
        self._occurrences[told] += 1
        content = f"{told}\0{self._occurrences[told]}".encode("utf-8", "replace")
        return hashlib.blake2b(content, digest_size=16).hexdigest()
