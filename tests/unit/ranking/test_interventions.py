"""What was done to a kernel reaches its verdict as evidence, and no other kernel's."""

from dataclasses import replace

import pytest

from geoaudit.diagnosis.evidence import SignatureEvidence
from geoaudit.diagnosis.finding import Verdict
from geoaudit.diagnosis.verdict import judge
from geoaudit.launches.declared import DeclaredKernel
from geoaudit.launches.interventions import Intervention
from geoaudit.ranking import rows
from geoaudit.ranking.options import RankOptions
from geoaudit.ranking.rank import rank
from tests.unit.ranking.builders import Launch, recording, tokens

LAYOUT = [Launch(kernel="kda", blocks=12), Launch(kernel="full", start=20)]
DONE = Intervention(
    kernel_short="kda",
    grid=(12, 1, 1),
    block=(128, 1, 1),
    dynamic_shared_bytes=0,
    position=0,
    alone_ns=(10,) * 20,
    in_situ_ns=(10,) * 4,
)


def test_interventions_are_evidence_of_their_own_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, SignatureEvidence] = {}

    def look(evidence: SignatureEvidence) -> Verdict:
        seen[evidence.kernel] = evidence
        return judge(evidence)

    monkeypatch.setattr(rows, "judge", look)
    recorded = recording(tokens(LAYOUT, 4, 100))
    metadata = replace(recorded.metadata, interventions=(DONE,))
    rank(replace(recorded, metadata=metadata), RankOptions())
    assert {name: one.interventions for name, one in seen.items()} == {"kda": (DONE,), "full": ()}


def test_what_was_left_out_of_a_scan_is_not_told_to_scan_again() -> None:
    layout = [
        Launch(kernel="kda", blocks=12, duration=90_000),
        Launch(kernel="full", start=100_000, duration=90_000),
    ]
    recorded = recording(tokens(layout, 12, 10**6))
    declared = (DeclaredKernel(kernel_short="kda"), DeclaredKernel(kernel_short="full"))
    other = replace(DONE, kernel_short="full", grid=(7, 1, 1))
    for interventions, is_told in (((), True), ((other,), False)):
        metadata = replace(recorded.metadata, declared=declared, interventions=interventions)
        found = rank(replace(recorded, metadata=metadata), RankOptions()).rows
        (kda,) = (row for row in found if row.kernel_short == "kda")
        assert kda.verdict.name == "starved"
        assert ("--confirm" in kda.verdict.would_decide) is is_told
