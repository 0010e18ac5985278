import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.launches.tokens.alignment import align, possible_similarity, sequence_similarity
from geoaudit.launches.tokens.sequence import MISSING, Ints

CODES = st.lists(st.integers(0, 3), max_size=14).map(lambda codes: np.array(codes, dtype=np.int64))


def longest_common_subsequence(first: Ints, second: Ints) -> int:
    length = np.zeros((len(first) + 1, len(second) + 1), dtype=int)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            longer = max(length[i, j + 1], length[i + 1, j])
            length[i + 1, j + 1] = length[i, j] + 1 if a == b else longer
    return int(length[-1, -1])


@given(launches=CODES, template=CODES)
def test_alignment_matches_as_many_launches_as_possible(launches: Ints, template: Ints) -> None:
    slots = align(launches, template, 0.0)

    assert slots is not None
    matched = np.flatnonzero(slots != MISSING)
    assert (launches[matched] == template[slots[matched]]).all()
    assert (np.diff(slots[matched]) > 0).all()
    assert len(matched) == longest_common_subsequence(launches, template)


@given(launches=CODES, template=CODES, smallest=st.sampled_from([0.5, 0.8, 0.9, 1.0]))
def test_alignment_is_given_up_exactly_below_the_similarity(
    launches: Ints, template: Ints, smallest: float
) -> None:
    matched = longest_common_subsequence(launches, template)
    similarity = sequence_similarity(matched, len(launches), len(template))

    assert (align(launches, template, smallest) is not None) == (similarity >= smallest - 1e-9)
    assert possible_similarity(launches, template) >= similarity


def test_a_long_step_with_a_few_changes_is_aligned() -> None:
    template = np.concatenate([[900], np.tile(np.arange(46), 32), [901, 902]])
    launches = np.insert(np.delete(template, [5, 700, 1400]), [30, 31, 1000], 77)

    slots = align(launches, template, 0.9)

    assert slots is not None
    assert (slots == MISSING).sum() == 3
    assert slots[-1] == len(template) - 1
