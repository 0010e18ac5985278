from dataclasses import replace

import pytest

from geoaudit.diagnosis.evidence import SignatureEvidence
from geoaudit.diagnosis.fail_on import FailOn, parse_fail_on
from geoaudit.diagnosis.finding import Finding, Severity
from geoaudit.diagnosis.gate import GateEvidence, gate
from geoaudit.diagnosis.judged_time import GatedRow
from geoaudit.diagnosis.verdict import judge
from geoaudit.errors import NotMeasuredError
from tests.unit.diagnosis.builders import TIGHT, evidence


def finding(rule_id: str = "GA101", severity: Severity = "warning") -> Finding:
    return Finding(
        rule_id=rule_id,
        rule_name="grid-smaller-than-device",
        severity=severity,
        message="12 blocks on 132 SMs",
        kernel="kda_decode_step",
    )


def row(case: SignatureEvidence, time_ns: float = 1_000.0, calls: float = 1.0) -> GatedRow:
    return GatedRow(
        calls=calls,
        time_ns=None if case.timing is None else time_ns,
        geometry=case.geometry,
        verdict=judge(case),
    )


HEALTHY = row(evidence(10_000, 256))
STARVED = row(evidence(12))
NO_GRID = evidence(None)
NO_DEVICE = evidence(12, device=None)
NO_RESIDENCY = evidence(10_000, registers=None)
UNTIMED = evidence(10_000, 256, timing=None)


def reasons(
    text: str,
    *found: Finding,
    rows: tuple[GatedRow, ...] = (HEALTHY,),
    wasted: float | None = 0.0,
    replayed: bool = False,
) -> tuple[str, ...]:
    judged = GateEvidence(findings=found, rows=rows, wasted_fraction=wasted, replayed=replayed)
    return gate(parse_fail_on(text), judged)


def test_nothing_named_nothing_fails_and_nothing_has_to_be_told() -> None:
    assert FailOn().names_nothing
    assert reasons("", finding("GA901", "error"), rows=(), wasted=0.9, replayed=True) == ()


def test_a_named_rule_fails_with_its_count_and_kernel() -> None:
    assert reasons("GA101", finding(), finding()) == (
        "GA101 grid-smaller-than-device: 2 findings, first: 12 blocks on 132 SMs (kda_decode_step)",
    )
    assert reasons("GA102", finding()) == ()


def test_a_named_verdict_fails() -> None:
    (reason,) = reasons("starved", rows=(HEALTHY, STARVED))
    assert reason == f"starved: 1 row, first: {STARVED.verdict.reason}"
    assert reasons("tail", rows=(HEALTHY, STARVED)) == ()


@pytest.mark.parametrize(
    ("named", "found", "fails"),
    [
        ("error", "error", True),
        ("error", "warning", False),
        ("warning", "error", True),
        ("warning", "warning", True),
        ("warning", "note", False),
        ("note", "note", True),
        ("note", "error", True),
    ],
)
def test_a_severity_means_that_or_worse(named: str, found: Severity, fails: bool) -> None:
    assert bool(reasons(named, finding(severity=found))) is fails


def test_waste_fails_above_its_share_only() -> None:
    assert reasons("waste>10%", wasted=0.1) == ()
    assert reasons("waste>10%", wasted=0.107) == (
        "waste: 10.7 % of the kernel time is wasted SM-time, more than 10 %",
    )


@pytest.mark.parametrize("unknown", [None, float("nan")])
def test_waste_that_cannot_be_told_is_no_pass(unknown: float | None) -> None:
    with pytest.raises(NotMeasuredError, match="wasted SM-time cannot be told"):
        reasons("waste>10%", wasted=unknown)


def test_no_gate_accepts_a_replayed_scan_whatever_it_holds() -> None:
    with pytest.raises(NotMeasuredError, match="replayed") as refused:
        reasons("starved", rows=(STARVED,), replayed=True)
    assert refused.value.exit_code == 3


@pytest.mark.parametrize("rule_id", ["GA901", "GA903"])
@pytest.mark.parametrize("named", ["error", "warning", "GA101", "starved", "waste>50%"])
def test_an_incomplete_recording_passes_no_gate(rule_id: str, named: str) -> None:
    with pytest.raises(NotMeasuredError, match=rf"could not be told: {rule_id}"):
        reasons(named, finding(rule_id, "error"))


def test_what_is_there_fails_also_in_an_incomplete_recording() -> None:
    dropped = finding("GA901", "error")
    assert reasons("starved", dropped, rows=(STARVED,))
    assert reasons("warning", dropped, finding("GA101", "warning"))
    assert reasons("GA901", dropped)
    assert reasons("waste>10%", dropped, wasted=0.2)


def test_nearly_complete_coverage_is_a_warning_and_passes_other_gates() -> None:
    almost = finding("GA903", "warning")
    assert reasons("starved", almost) == ()
    assert reasons("warning", almost)


def test_no_row_left_is_no_pass() -> None:
    with pytest.raises(NotMeasuredError, match="no row is left"):
        reasons("starved", rows=())


@pytest.mark.parametrize(
    ("unknown", "named", "message"),
    [
        (NO_GRID, "starved", "no known grid"),
        (NO_GRID, "GA101", "no known grid"),
        (NO_GRID, "warning", "no known grid"),
        (NO_GRID, "waste>50%", "no known grid"),
        (NO_DEVICE, "starved", "known SM count.*--device NAME"),
        (NO_DEVICE, "GA107", "known SM count"),
        (NO_DEVICE, "note", "known SM count"),
        (NO_DEVICE, "waste>50%", "known SM count"),
        (NO_RESIDENCY, "tail", "waves"),
        (NO_RESIDENCY, "GA104", "waves"),
        (NO_RESIDENCY, "note", "waves"),
        (UNTIMED, "starved", "no time for 21.0 % of the launches"),
        (UNTIMED, "launch_bound", "no time"),
        (UNTIMED, "GA201", "no time"),
        (UNTIMED, "warning", "no time"),
    ],
)
def test_what_cannot_be_told_on_a_fifth_is_no_pass(
    unknown: SignatureEvidence, named: str, message: str
) -> None:
    known = replace(HEALTHY, time_ns=790.0, calls=79.0)
    with pytest.raises(NotMeasuredError, match=message):
        reasons(named, rows=(known, row(unknown, time_ns=210.0, calls=21.0)))
    assert reasons(named, rows=(known, row(unknown, 190.0, 19.0))) == ()


@pytest.mark.parametrize(
    ("unknown", "named"),
    [
        (NO_GRID, "error"),
        (NO_GRID, "GA103"),
        (NO_GRID, "communication"),
        (NO_DEVICE, "launch_bound"),
        (NO_RESIDENCY, "starved"),
        (NO_RESIDENCY, "waste>50%"),
        (UNTIMED, "GA101"),
    ],
)
def test_what_does_not_matter_to_what_is_named_may_be_unknown(
    unknown: SignatureEvidence, named: str
) -> None:
    assert reasons(named, rows=(row(unknown),)) == ()


def test_waves_cannot_matter_where_sms_are_left_empty() -> None:
    assert reasons("tail", rows=(row(evidence(100, registers=None)),)) == ()


def test_collectives_and_launches_at_the_floor_need_no_geometry() -> None:
    collective = row(replace(NO_GRID, owner="nccl"))
    at_floor = row(replace(NO_GRID, timing=replace(TIGHT, median_ns=1_000.0)))
    assert reasons("starved", rows=(collective, at_floor)) == ()
    # Much time in collectives does not make the rest better known.
    with pytest.raises(NotMeasuredError, match="no known grid for 100 % of the kernel time"):
        reasons("starved", rows=(replace(collective, time_ns=1e6), row(NO_GRID)))


def test_without_any_time_launches_are_counted() -> None:
    untimed_without_grid = row(replace(NO_GRID, timing=None), calls=3)
    with pytest.raises(NotMeasuredError, match="no known grid for 75.0 %"):
        reasons("GA101", rows=(row(UNTIMED), untimed_without_grid))


def test_a_rule_that_the_source_never_tells_is_no_pass() -> None:
    judged = GateEvidence(
        findings=(), rows=(HEALTHY,), wasted_fraction=0.0, untold_rules=frozenset({"GA901"})
    )
    assert gate(parse_fail_on("GA903,error"), judged) == ()
    with pytest.raises(NotMeasuredError, match="does not tell GA901"):
        gate(parse_fail_on("GA901"), judged)
