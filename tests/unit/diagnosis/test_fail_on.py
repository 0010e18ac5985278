import pytest

from geoaudit.diagnosis.fail_on import FailOn, parse_fail_on
from geoaudit.diagnosis.finding import VERDICTS
from geoaudit.errors import InputError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", FailOn()),
        (" , ", FailOn()),
        ("GA101", FailOn(rules=frozenset({"GA101"}))),
        ("ga101, partial-last-wave", FailOn(rules=frozenset({"GA101", "GA102"}))),
        ("starved,occupancy-limited", FailOn(verdicts=frozenset({"starved", "occupancy_limited"}))),
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


@pytest.mark.parametrize("name", VERDICTS)
def test_every_verdict_is_a_gate(name: str) -> None:
    assert parse_fail_on(name).verdicts == {name}
