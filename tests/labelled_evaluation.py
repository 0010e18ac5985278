"""Verdicts against known truth: the confusion matrix of a labelled set.

    python -m tests.labelled_evaluation reports/h200-labelled-set [--evidence bytes]

tests/gpu/labelled_set.py makes the set. Every kernel whose label was proved is ranked from its
recording, and the verdict of its row is held against the label.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import msgspec
import pandas as pd

from geoaudit.diagnosis.finding import Confidence, VerdictName
from geoaudit.launches import schema as s
from geoaudit.launches.interventions import Intervention
from geoaudit.launches.recording import Recording
from geoaudit.launches.store import read_recording
from geoaudit.launches.table import typed
from geoaudit.ranking.options import RankOptions
from geoaudit.ranking.rank import rank
from geoaudit.sources.registry import ReadOptions
from geoaudit.sources.sniff import read_profile

Evidence = Literal["recorded", "bytes", "counters", "confirmed"]
"""Each with what the one before has: times and geometry; declared bytes; hardware counters; each
kernel replayed alone and under other block counts."""

Result = Literal["right", "inconclusive", "wrong"]
Declared = Mapping[str, Mapping[str, int | None]]

EVIDENCE: tuple[Evidence, ...] = get_args(Evidence)
LABELS, DECLARED, INTERVENTIONS = "labels.json", "declared.json", "interventions.json"
COUNTERS = "counters.csv"

AT_THE_LIMIT = frozenset({"healthy", "bandwidth_bound", "compute_bound"})
"""Labels that no launch shape helps: ``healthy`` misses what such a kernel waits for, and hides
nothing that could be won."""


@dataclass(frozen=True, kw_only=True)
class Label:
    """The truth about one kernel of one recording.

    Attributes:
        recording: file name.
        kernel: short name.
        label: the true verdict.
        accepts: verdicts that are as true.
        holds: whether measuring bore the label out; else it is not evaluated.
    """

    recording: str
    kernel: str
    label: VerdictName
    accepts: tuple[VerdictName, ...] = ()
    holds: bool = True


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A label and the verdict that was given; None: the recording has no such kernel."""

    label: Label
    verdict: VerdictName | None
    confidence: Confidence | None = None
    reason: str = ""

    @property
    def result(self) -> Result:
        """A kernel that is not in its recording counts as wrong."""
        if self.verdict in (self.label.label, *self.label.accepts):
            return "right"
        return "inconclusive" if self.verdict == "inconclusive" else "wrong"

    @property
    def is_healthy_that_is_not(self) -> bool:
        """Whether something that could be won was called healthy."""
        return self.verdict == "healthy" and self.label.label not in AT_THE_LIMIT


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """All outcomes.

    Attributes:
        evidence: what the verdicts were given.
        outcomes: of the labels that hold.
        left_out: labels that do not.
    """

    evidence: Evidence
    outcomes: tuple[Outcome, ...]
    left_out: tuple[Label, ...] = ()

    def share(self, result: Result) -> float:
        """Share of the outcomes with this result, 0 to 1."""
        return sum(one.result == result for one in self.outcomes) / max(1, len(self.outcomes))

    @property
    def healthy_that_is_not(self) -> tuple[Outcome, ...]:
        return tuple(one for one in self.outcomes if one.is_healthy_that_is_not)

    @property
    def wrongly_confirmed(self) -> tuple[Outcome, ...]:
        return tuple(
            one for one in self.outcomes if one.result == "wrong" and one.confidence == "confirmed"
        )


def available_evidence(folder: Path) -> tuple[Evidence, ...]:
    """What the folder has evidence for, the least first."""
    found: list[Evidence] = ["recorded"]
    for evidence, file in (("bytes", DECLARED), ("counters", COUNTERS)):
        if (folder / file).exists():
            found.append(evidence)  # type: ignore[arg-type]
    if "counters" in found and (folder / INTERVENTIONS).exists():
        found.append("confirmed")
    return tuple(found)


def evaluate(folder: Path, evidence: Evidence = "bytes") -> Evaluation:
    """The verdicts on a labelled set, with as much evidence as is asked for.

    Raises:
        InputError: a recording or the page of counters cannot be read.
        OSError: a file of the set is missing.
    """
    labels = load_labels(folder)
    depth = EVIDENCE.index(evidence)
    known = json.loads((folder / DECLARED).read_text(encoding="utf-8")) if depth >= 1 else {}
    counters = counted(folder / COUNTERS) if depth >= 2 else {}
    repeated = _interventions(folder) if depth >= 3 else {}
    outcomes: list[Outcome] = []
    for name in dict.fromkeys(label.recording for label in labels):
        recording = with_counters(with_declared(read_recording(folder / name), known), counters)
        replayed = repeated.get(name.removesuffix(".parquet"), ())
        recording = replace(recording, metadata=replace(recording.metadata, interventions=replayed))
        outcomes += judge(recording, [one for one in labels if one.recording == name and one.holds])
    left_out = tuple(label for label in labels if not label.holds)
    return Evaluation(evidence=evidence, outcomes=tuple(outcomes), left_out=left_out)


def load_labels(folder: Path) -> list[Label]:
    """The labels of a set."""
    text = (folder / LABELS).read_text(encoding="utf-8")
    return msgspec.json.decode(text, type=list[Label])


def judge(recording: Recording, labels: Sequence[Label]) -> list[Outcome]:
    """The verdict on each labelled kernel of a recording: of its row that takes most time."""
    audit = rank(recording, RankOptions(order="time"))
    rows = {row.kernel_short: row for row in reversed((*audit.rows, *audit.communication_rows))}
    outcomes = []
    for label in labels:
        row = rows.get(label.kernel)
        outcomes.append(
            Outcome(
                label=label,
                verdict=row.verdict.name if row else None,
                confidence=row.verdict.confidence if row else None,
                reason=row.verdict.reason if row else "not in the recording",
            )
        )
    return outcomes


def with_declared(recording: Recording, declared: Declared) -> Recording:
    """The recording with what is declared of its kernels in the columns of the same names."""
    return _with_columns(
        recording,
        declared,
        (s.COMPULSORY_BYTES, s.WORKING_THREADS, s.BYTES_IN_FLIGHT_PER_THREAD),
    )


def with_counters(
    recording: Recording, counters: Mapping[str, Mapping[str, float | None]]
) -> Recording:
    """The recording with what was counted of its kernels, by name."""
    return _with_columns(recording, counters, (s.DRAM_BYTES, s.SM_ACTIVE_FRACTION))


def _with_columns(
    recording: Recording,
    values: Mapping[str, Mapping[str, float | None]],
    columns: Iterable[str],
) -> Recording:
    if not values:
        return recording
    names = recording.launches[s.KERNEL_SHORT].astype(str)
    filled = {}
    for column in columns:
        of_kernel = {kernel: of.get(column) for kernel, of in values.items()}
        objects = pd.Series(
            [of_kernel.get(name) for name in names], index=names.index, dtype=object
        )
        filled[column] = typed(objects, s.BY_NAME[column])
    return replace(recording, launches=recording.launches.assign(**filled))


def counted(page: Path) -> dict[str, dict[str, float | None]]:
    """Medians of what Nsight Compute counted of each kernel."""
    table = read_profile(page, ReadOptions()).launches
    columns = [s.DRAM_BYTES, s.SM_ACTIVE_FRACTION]
    medians = table.groupby(table[s.KERNEL_SHORT].astype(str))[columns].median()
    return {
        str(kernel): {c: None if pd.isna(row[c]) else float(row[c]) for c in columns}
        for kernel, row in medians.iterrows()
    }


def _interventions(folder: Path) -> dict[str, tuple[Intervention, ...]]:
    text = (folder / INTERVENTIONS).read_text(encoding="utf-8")
    return msgspec.json.decode(text, type=dict[str, tuple[Intervention, ...]])


# ---- the matrix ----------------------------------------------------------------------------------


def confusion(evaluation: Evaluation) -> dict[VerdictName, Counter[str]]:
    """Label -> how often each verdict was given."""
    matrix: dict[VerdictName, Counter[str]] = {}
    for one in evaluation.outcomes:
        matrix.setdefault(one.label.label, Counter())[one.verdict or "missing"] += 1
    return matrix


def as_json(evaluation: Evaluation) -> dict[str, object]:
    """The evaluation as plain values."""
    return {
        "evidence": evaluation.evidence,
        "cases": len(evaluation.outcomes),
        "left_out": len(evaluation.left_out),
        "right": sum(one.result == "right" for one in evaluation.outcomes),
        "inconclusive": sum(one.result == "inconclusive" for one in evaluation.outcomes),
        "wrong": sum(one.result == "wrong" for one in evaluation.outcomes),
        "healthy_that_is_not": len(evaluation.healthy_that_is_not),
        "wrongly_confirmed": len(evaluation.wrongly_confirmed),
        "confusion": {
            label: dict(sorted(row.items())) for label, row in confusion(evaluation).items()
        },
        "misses": [
            {
                "recording": one.label.recording,
                "kernel": one.label.kernel,
                "label": one.label.label,
                "verdict": one.verdict,
                "confidence": one.confidence,
                "reason": one.reason,
            }
            for one in evaluation.outcomes
            if one.result != "right"
        ],
    }


def as_text(evaluation: Evaluation) -> str:
    """The matrix, its sums, and each miss with the reason that was given."""
    matrix = confusion(evaluation)
    verdicts = [
        name
        for name in (*get_args(VerdictName), "missing")
        if any(name in row for row in matrix.values())
    ]
    label_width = max((len(label) for label in matrix), default=0)
    lines = [
        " " * label_width + "".join(f"  {name}" for name in verdicts),
        *(
            label.ljust(label_width)
            + "".join(f"  {row[name] or '.':>{len(name)}}" for name in verdicts)
            for label, row in matrix.items()
        ),
        "",
        f"evidence: {evaluation.evidence}; {len(evaluation.outcomes)} cases, "
        f"{len(evaluation.left_out)} left out whose label was not borne out",
        f"right {evaluation.share('right'):.1%}, "
        f"inconclusive {evaluation.share('inconclusive'):.1%}, "
        f"wrong {evaluation.share('wrong'):.1%}; "
        f"healthy that is not {len(evaluation.healthy_that_is_not)}, "
        f"wrongly confirmed {len(evaluation.wrongly_confirmed)}",
    ]
    for one in evaluation.outcomes:
        if one.result != "right":
            lines += [
                "",
                f"{one.result}: {one.label.recording} {one.label.kernel}: is {one.label.label}, "
                f"called {one.verdict}",
                f"    {one.reason}",
            ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--evidence", choices=EVIDENCE, help="default: each that the folder has")
    parser.add_argument("--json", action="store_true", help="print JSON in place of text")
    arguments = parser.parse_args()
    chosen = (arguments.evidence,) if arguments.evidence else available_evidence(arguments.folder)
    evaluations = [evaluate(arguments.folder, evidence) for evidence in chosen]
    if arguments.json:
        print(json.dumps([as_json(one) for one in evaluations], indent=1))
    else:
        print("\n".join(as_text(one) for one in evaluations), end="")


if __name__ == "__main__":
    main()
