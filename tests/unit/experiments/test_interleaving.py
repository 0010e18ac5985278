from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from geoaudit.experiments.interleaving import abba

ARMS = st.lists(st.text(min_size=1), min_size=1, max_size=6, unique=True)


@given(arms=ARMS, repetitions=st.integers(0, 7))
def test_every_arm_is_measured_so_often_and_once_a_repetition(
    arms: list[str], repetitions: int
) -> None:
    order = abba(arms, repetitions)
    assert Counter(order) == {arm: repetitions for arm in arms if repetitions}
    for start in range(0, len(order), len(arms)):
        assert set(order[start : start + len(arms)]) == set(arms)


@given(arms=ARMS, pairs=st.integers(1, 4))
def test_a_linear_drift_meets_all_arms_alike(arms: list[str], pairs: int) -> None:
    order = abba(arms, 2 * pairs)
    means = {
        arm: sum(place for place, found in enumerate(order) if found == arm) / (2 * pairs)
        for arm in arms
    }
    assert set(means.values()) == {(len(order) - 1) / 2}


def test_two_arms_and_two_repetitions_are_abba() -> None:
    assert "".join(abba("AB", 2)) == "ABBA"
