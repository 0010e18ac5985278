"""Shard-check against launches that were labelled by hand; not a test, the sources are not ours.

``python -m tests.gold_launches GOLD.jsonl REPOSITORIES [--only OWNER/NAME] [--verbose]``

Each line of GOLD.jsonl is an object with ``repo, path, line, kernel, roots {x, y, z},
sharded_dims, tp_behaviour``; a repository lies in REPOSITORIES/OWNER__NAME and is read whole.
"""

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from geoaudit.shardcheck.report import SiteReport
from tests.expected_extents import spelling
from tests.shardcheck_pipeline import options_of, read_tree, reports_of

SHRINKING = ("collapses", "small", "shrinks", "capped_by_constant")
BEHAVIOURS = {
    "shrinks": SHRINKING,
    "self_compensating": ("compensated",),
    "independent": ("independent",),
    "constant": ("constant",),
}
"""Labelled behaviour -> those of a report that are the same."""
FLAGGED = ("GA401", "GA402", "GA403")
AXES = "xyz"
Label = Mapping[str, object]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a label.

    Attributes:
        wrong_roots: one sentence each; empty: every root is on its axes and on no other.
    """

    label: Label
    report: SiteReport | None
    wrong_roots: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        return f"{self.label['path']}:{self.label['line']}"

    @property
    def is_found(self) -> bool:
        return self.report is not None

    @property
    def has_roots(self) -> bool:
        return self.is_found and not self.wrong_roots

    @property
    def behaves(self) -> bool:
        wanted = BEHAVIOURS[str(self.label["tp_behaviour"])]
        return self.report is not None and self.report.behaviour in wanted

    @property
    def is_falsely_flagged(self) -> bool:
        is_fine = self.label["tp_behaviour"] in ("self_compensating", "independent")
        return (
            is_fine
            and self.report is not None
            and any(finding.rule_id in FLAGGED for finding in self.report.findings)
        )


def outcome_of(label: Label, at_place: Sequence[SiteReport]) -> Outcome:
    """What became of a label, where these are the reports at its path and line."""
    name = str(label["kernel"]).split(" ")[0]
    ordered = sorted(at_place, key=lambda report: report.site.kernel != name)
    if not ordered:
        return Outcome(label=label, report=None)
    return Outcome(
        label=label, report=ordered[0], wrong_roots=tuple(_wrong_roots(label, ordered[0]))
    )


def _wrong_roots(label: Label, report: SiteReport) -> Iterator[str]:
    labelled: dict[str, set[str]] = defaultdict(set)
    roots = label["roots"]
    assert isinstance(roots, dict)
    for axis in AXES:
        for root in roots[axis]:
            labelled[spelling(root)].add(axis)
    symbols = {
        name: {spelling(symbol) for symbol in axis.symbols}
        for name, axis in zip(AXES, report.site.grid, strict=True)
    }
    for root, axes in labelled.items():
        for axis in AXES:
            if axis in axes and root not in symbols[axis]:
                yield f"{root} is not on {axis}, which has {sorted(symbols[axis])}"
            if axis not in axes and root in symbols[axis]:
                yield f"{root} is on {axis} as well"


def outcomes_of(repository: Path, labels: Sequence[Label], words: Sequence[str]) -> list[Outcome]:
    """What became of the labels of one repository."""
    began = time.perf_counter()
    tree = read_tree(repository)
    reports = reports_of(tree.read.programs, options_of(words))
    print(f"{repository.name}: {len(reports)} sites in {time.perf_counter() - began:.1f} s")
    by_place: dict[tuple[str, int], list[SiteReport]] = defaultdict(list)
    for report in reports:
        by_place[report.site.path, report.site.line].append(report)
    outcomes = []
    for label in labels:
        line = label["line"]
        assert isinstance(line, int)
        outcomes.append(outcome_of(label, by_place[str(label["path"]), line]))
    return outcomes


def print_outcome(outcome: Outcome, *, is_verbose: bool) -> None:
    """A line for one label, and with `is_verbose` what the report rests on."""
    report = outcome.report
    marks = " ".join(
        word if holds else word.upper() + "!"
        for word, holds in (
            ("found", outcome.is_found),
            ("roots", outcome.has_roots),
            ("behaviour", outcome.behaves),
            ("unflagged", not outcome.is_falsely_flagged),
        )
    )
    got = report.behaviour if report else "-"
    print(f"  {marks:45} {outcome.place} {outcome.label['tp_behaviour']} / {got}")
    for text in outcome.wrong_roots:
        print(f"      {text}")
    if is_verbose and report is not None:
        print(f"      {report.site.kernel}: {report.reason} {report.condition}")
        for name, axis in zip(AXES, report.site.grid, strict=True):
            print(f"      {name} roots {axis.roots} symbols {axis.symbols}: {axis.extent}")
        for hop in report.site.chain:
            print(f"        {hop.path}:{hop.line} {hop.text}")


def print_totals(outcomes: Sequence[Outcome]) -> None:
    """Shares of all labels."""
    for name, count in (
        ("found", sum(outcome.is_found for outcome in outcomes)),
        ("roots", sum(outcome.has_roots for outcome in outcomes)),
        ("behaviour", sum(outcome.behaves for outcome in outcomes)),
    ):
        print(f"{name}: {count} of {len(outcomes)} = {count / max(1, len(outcomes)):.1%}")
    print(f"falsely flagged: {sum(outcome.is_falsely_flagged for outcome in outcomes)}")


def main(arguments: Sequence[str]) -> None:
    """Print what became of every label, and the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gold", type=Path)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--only", metavar="OWNER/NAME")
    parser.add_argument("--verbose", action="store_true")
    given, words = parser.parse_known_args(arguments)
    labels: dict[str, list[Label]] = defaultdict(list)
    for line in given.gold.read_text(encoding="utf-8").splitlines():
        if line.strip() and given.only in (None, json.loads(line)["repo"]):
            label = json.loads(line)
            labels[label["repo"]].append(label)
    outcomes: list[Outcome] = []
    for repository, of_repository in labels.items():
        folder = given.repositories / repository.replace("/", "__")
        found = outcomes_of(folder, of_repository, words)
        for outcome in found:
            print_outcome(outcome, is_verbose=given.verbose)
        outcomes += found
    print_totals(outcomes)


if __name__ == "__main__":
    main(sys.argv[1:])
