import pytest

from geoaudit.diagnosis.finding import Finding, Severity, Verdict, VerdictName
from geoaudit.diagnosis.gate import FailOn, gate, parse_fail_on, require_measured
from geoaudit.errors import InputError, NotMeasuredError


def finding(rule_id: str = "GA101", severity: Severity = "warning") -> Finding:
    return Finding(
        rule_id=rule_id,
        rule_name="grid-smaller-than-device",
        severity=severity,
        message="12 blocks on 132 SMs",
        kernel="kda_decode_step",
    )


def verdict(name: VerdictName) -> Verdict:
    return Verdict(name=name, confidence="suspected", reason="12 blocks")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", FailOn()),
        (" , ", FailOn()),
        ("GA101", FailOn(rules=frozenset({"GA101"}))),
        ("ga101, partial-last-wave", FailOn(rules=frozenset({"GA101", "GA102"}))),
        ("starved,occupancy-limited", FailOn(verdicts=frozenset({"starved", "occupancy_limited"}))),
        ("contended", FailOn(verdicts=frozenset({"contended"}))),
        ("Warning", FailOn(severity="warning")),
        ("error,note", FailOn(severity="note")),
        ("waste>10%", FailOn(wasted_fraction=0.1)),
        ("waste > 12.5 %,waste>50%", FailOn(wasted_fraction=0.125)),
    ],
)
def test_what_can_be_named(text: str, expected: FailOn) -> None:
    assert parse_fail_on(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("GA110", "Nearest: .*GA10"),
        ("starvd", "Nearest: starved"),
        ("warn", "Nearest: warning"),
        ("waste>10", "waste>N%"),
        ("waste>101%", "0 to 100"),
        ("waste>-1%", "waste>N%"),
        ("waste>nan%", "waste>N%"),
        ("waste<10%", "waste>N%"),
        ("x" * 5_000, "neither a rule"),
    ],
)
def test_unknown_words_are_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        parse_fail_on(text)
    assert len(str(refused.value)) < 400


def test_nothing_named_nothing_fails() -> None:
    assert FailOn().names_nothing
    assert gate(FailOn(), [finding()], [verdict("starved")], 0.9) == ()


def test_a_named_rule_fails_with_its_count_and_kernel() -> None:
    reasons = gate(parse_fail_on("GA101"), [finding(), finding()], [], None)
    assert reasons == (
        "GA101 grid-smaller-than-device: 2 findings, first: 12 blocks on 132 SMs (kda_decode_step)",
    )
    assert gate(parse_fail_on("GA102"), [finding()], [], None) == ()


def test_a_named_verdict_fails() -> None:
    judged = [verdict("healthy"), verdict("starved")]
    assert gate(parse_fail_on("starved"), [], judged, None) == ("starved: 1 row, first: 12 blocks",)
    assert gate(parse_fail_on("tail"), [], judged, None) == ()


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
    assert bool(gate(parse_fail_on(named), [finding(severity=found)], [], None)) is fails


def test_waste_fails_above_its_share_only() -> None:
    fail_on = parse_fail_on("waste>10%")
    assert gate(fail_on, [], [], 0.1) == ()
    assert gate(fail_on, [], [], 0.107) == (
        "waste: 10.7 % of the kernel time is wasted SM-time, more than 10 %",
    )


@pytest.mark.parametrize("unknown", [None, float("nan")])
def test_waste_that_cannot_be_told_is_no_pass(unknown: float | None) -> None:
    with pytest.raises(NotMeasuredError, match="cannot be told"):
        gate(parse_fail_on("waste>10%"), [], [], unknown)


def test_no_gate_accepts_a_replayed_scan() -> None:
    with pytest.raises(NotMeasuredError, match="replayed") as refused:
        require_measured(True, parse_fail_on("waste>99%"))
    assert refused.value.exit_code == 3
    require_measured(True, FailOn())
    require_measured(False, parse_fail_on("note"))
