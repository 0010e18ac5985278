from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.diagnosis.evidence import RecordingEvidence, SignatureEvidence
from geoaudit.diagnosis.finding import Finding, VerdictName
from geoaudit.diagnosis.rule import Rule, rule
from geoaudit.diagnosis.rules import (
    GEOMETRY_RULES,
    all_rules,
    recording_findings,
    signature_findings,
)
from geoaudit.diagnosis.verdict import judge
from tests.unit.diagnosis.builders import B200, GB10, H200, TIGHT, evidence

IDS = {
    "GA101": "grid-smaller-than-device",
    "GA102": "partial-last-wave",
    "GA103": "block-not-warp-multiple",
    "GA104": "registers-limit-residency",
    "GA105": "shared-memory-limits-residency",
    "GA106": "block-slots-limit-residency",
    "GA107": "thread-slots-unfilled",
    "GA201": "starved-kernel",
    "GA202": "tail-bound-kernel",
    "GA203": "occupancy-limited-kernel",
    "GA204": "imbalanced-kernel",
    "GA205": "serial-kernel",
    "GA206": "launch-bound-kernel",
    "GA207": "dud-launch",
    "GA210": "contended-kernel",
    "GA401": "sharded-grid-collapses",
    "GA402": "grid-already-small",
    "GA403": "shard-not-divisible",
    "GA404": "stale-launch-constant",
    "GA405": "grid-limit",
    "GA901": "dropped-records",
    "GA902": "geometry-unknown",
    "GA903": "incomplete-coverage",
    "GA904": "untimed-launches",
    "GA905": "replayed-recording",
    "GA906": "partial-recording",
    "GA907": "ranks-differ",
}
HEADINGS = ("What it measures:", "Why it matters:", "Example:", "What to do:", "Limits:")


def findings(case: SignatureEvidence) -> dict[str, Finding]:
    return {finding.rule_id: finding for finding in signature_findings(case, judge(case))}


def test_ids_and_names_stay_what_they_are() -> None:
    assert {known.id: known.name for known in all_rules()} == IDS


@pytest.mark.parametrize("known", all_rules(), ids=lambda known: known.id)
def test_every_rule_has_a_page_with_all_sections(known: Rule) -> None:
    positions = [known.page.index(heading) for heading in HEADINGS]
    assert positions == sorted(positions)
    assert known.summary
    assert len(known.summary) < 80
    if known.id < "GA2":
        assert "Formula:" in known.page


@pytest.mark.parametrize(
    ("id", "name"),
    [("GA101", "another-name"), ("GA999", "partial-last-wave"), ("G1", "a-b"), ("GA998", "Name")],
)
def test_ids_and_names_are_never_used_twice(id: str, name: str) -> None:
    with pytest.raises(ValueError, match=id):
        rule(id, name, since="0.1", severities=("note",))


def test_a_rule_without_a_page_is_refused() -> None:
    def undocumented(case: SignatureEvidence) -> None:
        return None

    with pytest.raises(ValueError, match="docstring"):
        rule("GA997", "undocumented-rule", since="0.1", severities=("note",))(undocumented)
    assert "GA997" not in {known.id for known in all_rules()}


@pytest.mark.parametrize(
    ("blocks", "severity", "message"),
    [
        (1, "warning", "1 block on 132 SMs: 0.8 % of the SMs have work, 131 have none"),
        (12, "warning", "12 blocks on 132 SMs: 9.1 % of the SMs have work, 120 have none"),
        (48, "warning", "48 blocks on 132 SMs: 36.4 % of the SMs have work, 84 have none"),
        (65, "warning", "65 blocks on 132 SMs: 49.2 % of the SMs have work, 67 have none"),
        (66, "note", "66 blocks on 132 SMs: 50.0 % of the SMs have work, 66 have none"),
        (128, "note", "128 blocks on 132 SMs: 97.0 % of the SMs have work, 4 have none"),
    ],
)
def test_grid_smaller_than_device(blocks: int, severity: str, message: str) -> None:
    finding = findings(evidence(blocks))["GA101"]
    assert (finding.severity, finding.message) == (severity, message)
    assert finding.kernel == "kda_decode_step(float*)"


@pytest.mark.parametrize("blocks", [132, 133, 100_000, None, 0])
def test_no_small_grid(blocks: int | None) -> None:
    assert "GA101" not in findings(evidence(blocks))


def test_a_small_grid_beside_other_kernels_is_a_note() -> None:
    timing = replace(TIGHT, overlapped_fraction=0.9)
    finding = findings(evidence(4, device=B200, timing=timing))["GA101"]
    assert finding.severity == "note"
    assert "other kernels run beside it" in finding.message


@pytest.mark.parametrize(
    ("blocks", "severity", "loss"),
    [
        (1_077, "warning", "1.02 waves: the partial last wave loses 49.0 %"),
        (1_869, "note", "1.77 waves: the partial last wave loses 11.5 %"),
        (4 * 1_056 + 100, "note", "4.09 waves: the partial last wave loses 18.1 %"),
    ],
)
def test_partial_last_wave(blocks: int, severity: str, loss: str) -> None:
    finding = findings(evidence(blocks, 256))["GA102"]
    assert finding.severity == severity
    assert finding.message.startswith(loss)
    assert "equally long" in finding.message


@pytest.mark.parametrize("blocks", [500, 1_056, 2_112, 2 * 1_056 - 40, 5 * 1_056 + 10])
def test_no_partial_last_wave(blocks: int) -> None:
    assert "GA102" not in findings(evidence(blocks, 256))


@pytest.mark.parametrize(
    ("threads", "severity", "message"),
    [
        (100, "note", "100 threads in 4 warps of 32: 28 of 128 lanes (21.9 %) do nothing"),
        (1, "warning", "1 thread in 1 warp of 32: 31 of 32 lanes (96.9 %) do nothing"),
        (48, "warning", "48 threads in 2 warps of 32: 16 of 64 lanes (25.0 %) do nothing"),
    ],
)
def test_block_not_warp_multiple(threads: int, severity: str, message: str) -> None:
    finding = findings(evidence(4_000, threads))["GA103"]
    assert (finding.severity, finding.message) == (severity, message)


@pytest.mark.parametrize("threads", [32, 128, 1_024])
def test_whole_warps_lose_no_lane(threads: int) -> None:
    assert "GA103" not in findings(evidence(4_000, threads))


def test_registers_limit_residency() -> None:
    fired = findings(evidence(2_000, 384, registers=168))
    assert fired["GA104"].message == (
        "168 registers per thread allow 1 resident block per SM: 12 of 64 warps (18.8 %)"
    )
    assert "GA104" not in findings(evidence(2_000, 256, registers=64))


def test_shared_memory_limits_residency() -> None:
    fired = findings(evidence(2_000, 256, shared_bytes=160 * 1024))
    assert fired["GA105"].message == (
        "163840 bytes of shared memory allow 1 resident block per SM: 8 of 64 warps (12.5 %)"
    )
    assert "GA104" not in fired


def test_block_slots_limit_residency() -> None:
    fired = findings(evidence(5_000, 32, device=GB10))
    assert fired["GA106"].message == "24 block slots of 32 threads: 24 of 48 warps (50.0 %)"
    assert "GA106" not in findings(evidence(5_000, 64, device=GB10))


@pytest.mark.parametrize(
    "case",
    [
        evidence(4, 384, registers=168),
        evidence(132, 384, registers=168),
        evidence(4, 256, shared_bytes=160 * 1024),
        evidence(400, 32, device=GB10),
    ],
    ids=["small-grid", "persistent", "small-grid-shared", "slots-not-filled"],
)
def test_residency_is_not_blamed_where_no_block_waits_for_it(case: SignatureEvidence) -> None:
    assert not {"GA104", "GA105", "GA106"} & set(findings(case))


def test_thread_slots_unfilled_where_every_sm_has_a_block() -> None:
    fired = findings(evidence(512, 128, device=B200))
    assert fired["GA107"].severity == "warning"
    assert fired["GA107"].message == (
        "512 blocks of 128 threads on 148 SMs: 21.6 % of the thread slots are filled"
    )
    assert "GA101" not in fired


@pytest.mark.parametrize("blocks", [132, 133])
def test_one_warp_on_every_sm_leaves_them_unfilled(blocks: int) -> None:
    assert findings(evidence(blocks, 32))["GA107"].severity == "warning"


def test_thread_slots_are_bounded_without_registers() -> None:
    assert "GA107" in findings(evidence(512, 128, device=B200, registers=None))


@pytest.mark.parametrize(
    "case",
    [
        evidence(12, 128),
        evidence(132, 384, registers=168),
        evidence(1_056, 256),
        evidence(128, 384, registers=168),
    ],
    ids=["small-grid", "persistent", "full", "residency-full"],
)
def test_thread_slots_that_another_rule_or_nobody_is_blamed_for(case: SignatureEvidence) -> None:
    assert "GA107" not in findings(case)


@pytest.mark.parametrize(
    ("case", "rule_id", "verdict"),
    [
        (evidence(12), "GA201", "starved"),
        (evidence(1_077, 256), "GA202", "tail"),
        (evidence(2_000, 384, registers=168), "GA203", "occupancy_limited"),
        (evidence(12, timing=replace(TIGHT, median_ns=1_000.0)), "GA206", "launch_bound"),
    ],
)
def test_each_problem_verdict_is_a_finding(
    case: SignatureEvidence, rule_id: str, verdict: VerdictName
) -> None:
    finding = findings(case)[rule_id]
    assert finding.message == f"{verdict}: {judge(case).reason}"


def test_launches_at_the_floor_and_collectives_are_not_blamed_for_their_grid() -> None:
    at_floor = evidence(1, 100, timing=replace(TIGHT, median_ns=1_500.0))
    assert set(findings(at_floor)) == {"GA206"}
    assert not findings(replace(evidence(24, 544), owner="nccl"))


def test_a_healthy_launch_has_no_finding() -> None:
    assert not findings(evidence(10 * 1_056, 256))


@given(
    blocks=st.none() | st.integers(0, 5_000),
    threads=st.integers(1, 1_024),
    registers=st.none() | st.integers(1, 255),
    shared_bytes=st.integers(0, 227 * 1024),
)
def test_findings_keep_to_the_severities_their_rule_declares(
    blocks: int | None, threads: int, registers: int | None, shared_bytes: int
) -> None:
    case = evidence(blocks, threads, registers=registers, shared_bytes=shared_bytes)
    declared = {known.id: known.severities for known in all_rules()}
    fired = [check(case) for check in GEOMETRY_RULES]
    for finding in fired:
        assert finding is None or finding.severity in declared[finding.rule_id]
    assert (fired[0] is not None) == bool(blocks and blocks < H200.usable_sms)


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (RecordingEvidence(launches=100, dropped=0, launches_seen=100), []),
        (RecordingEvidence(launches=98_800, dropped=1_200), [("GA901", "error")]),
        (RecordingEvidence(launches=10, geometry_unknown_fraction=0.8), [("GA902", "warning")]),
        (RecordingEvidence(launches=10, geometry_unknown_fraction=0.01), [("GA902", "note")]),
        (RecordingEvidence(launches=0, launches_seen=100_928), [("GA903", "error")]),
        (RecordingEvidence(launches=79, launches_seen=100), [("GA903", "error")]),
        (RecordingEvidence(launches=80, launches_seen=100), [("GA903", "warning")]),
        (RecordingEvidence(launches=99, launches_seen=100), [("GA903", "warning")]),
        (RecordingEvidence(launches=1_000, untimed=1), [("GA904", "note")]),
        (RecordingEvidence(launches=10, untimed=1), [("GA904", "warning")]),
        (RecordingEvidence(launches=10, replayed=True), [("GA905", "note")]),
        (RecordingEvidence(launches=10, partial=True), [("GA906", "warning")]),
        (RecordingEvidence(launches=10, positions=4), []),
        (
            RecordingEvidence(launches=10, positions=4, differing_positions=1),
            [("GA907", "warning")],
        ),
        (RecordingEvidence(launches=10, positions=4, lacking_positions=1), [("GA907", "note")]),
    ],
)
def test_health_of_a_recording(case: RecordingEvidence, expected: list[tuple[str, str]]) -> None:
    fired = recording_findings(case)
    assert [(finding.rule_id, finding.severity) for finding in fired] == expected
    assert all(finding.kernel is None for finding in fired)


def test_a_missing_rank_is_what_makes_a_recording_partial() -> None:
    case = RecordingEvidence(launches=10, partial=True, ranks=2, missing_ranks=(1,))
    assert recording_findings(case)[0].message == (
        "PARTIAL: rank 1 of 2 has no recording; the figures are of the others"
    )


def test_ranks_that_differ_are_counted_and_the_first_place_is_named() -> None:
    case = RecordingEvidence(
        launches=10,
        positions=13,
        differing_positions=2,
        lacking_positions=1,
        first_difference="at position 7: rank 0 k grid 12; rank 1 k grid 24",
    )
    assert recording_findings(case)[0].message == (
        "ranks launch differently at 2 of 13 positions, first at position 7: rank 0 k grid 12; "
        "rank 1 k grid 24, and one launches nothing at 1 more"
    )


def test_a_replayed_recording_names_its_date() -> None:
    case = RecordingEvidence(launches=10, replayed=True, recorded_on="2026-11-29")
    assert "of 2026-11-29" in recording_findings(case)[0].message
