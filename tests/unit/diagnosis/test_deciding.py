"""What would decide is not in the recording yet, and can be done."""

from dataclasses import replace

from geoaudit.diagnosis import deciding
from geoaudit.diagnosis.verdict import judge
from tests.unit.diagnosis.builders import evidence, with_counters, with_floor
from tests.unit.diagnosis.test_settling import WAITING, repeated, sweep

SMALL = evidence(12)
FROM_MANIFEST = replace(SMALL, can_be_repeated=True)
COUNTED = with_counters(evidence(2_112, 256), sm_active=0.5, compute=0.4, dram_bytes=1e6)


def test_only_what_a_manifest_describes_is_told_to_confirm() -> None:
    assert "--confirm" in judge(FROM_MANIFEST).would_decide
    assert "--confirm" not in judge(SMALL).would_decide
    assert deciding.another_shape(SMALL) == "another block count measured against this one"
    assert "--confirm" in (deciding.alone(FROM_MANIFEST) or "")
    assert "--confirm" not in (deciding.alone(SMALL) or "")


def test_a_sweep_that_was_made_is_not_asked_for() -> None:
    swept = repeated(FROM_MANIFEST, sweep("A=1", 24, 128, 80_000))
    assert deciding.another_shape(swept) is None
    assert deciding.alone(swept) is None
    assert "--confirm" not in judge(swept).would_decide
    assert "no arm" in (deciding.another_shape(repeated(FROM_MANIFEST)) or "")


def test_counters_that_were_read_are_not_asked_for() -> None:
    assert "--counters" in (deciding.counted(SMALL) or "")
    assert deciding.counted(COUNTED) is None
    part = with_counters(evidence(2_112, 256), sm_active=0.5)
    assert "--counters" in (deciding.counted(part) or "")
    for case in (COUNTED, WAITING, replace(COUNTED, floor=None)):
        assert "--counters" not in judge(case).would_decide


def test_bytes_that_are_declared_are_not_asked_for() -> None:
    assert "--bytes" in (deciding.floor(SMALL) or "")
    assert deciding.floor(with_floor(SMALL, 900.0)) is None


def test_the_first_or_any_of_what_is_left() -> None:
    assert deciding.first_of(None, "a", "b") == "a"
    assert deciding.any_of("a", None, "b") == "a, or b"
    assert deciding.first_of(None) == deciding.any_of(None) == ""
