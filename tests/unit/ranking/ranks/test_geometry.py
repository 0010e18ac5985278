"""Whether ranks launch the same, position by position."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import pytest

from geoaudit.launches import schema as s
from geoaudit.launches.recording import Recording
from geoaudit.launches.store import join_recordings
from geoaudit.ranking.ranks.comparison import GeometryComparison
from geoaudit.ranking.ranks.wording import difference_sentence, first_difference
from tests.unit.ranking.builders import Launch, tokens
from tests.unit.ranking.ranks.run import audit, comparison, part, run

LAYOUT = [Launch(kernel=f"k{at}", start=20 * at, blocks=12) for at in range(12)]


def changed(at: int, launch: Launch) -> list[Launch]:
    return [launch if place == at else one for place, one in enumerate(LAYOUT)]


def geometry(of: Recording) -> GeometryComparison:
    found = comparison(of).geometry
    assert found is not None
    return found


def counts(of: GeometryComparison) -> tuple[int, int, int, int]:
    return of.same, of.differing, of.lacking, of.unknown


def test_the_same_on_all() -> None:
    found = geometry(run({0: LAYOUT, 1: LAYOUT, 2: LAYOUT}))
    assert counts(found) == (12, 0, 0, 0)
    assert (found.differences, found.unplaced) == ((), (0, 0, 0))


def test_another_grid_is_a_difference_at_its_position() -> None:
    wide = replace(LAYOUT[3], blocks=24)
    recording = run({0: LAYOUT, 1: changed(3, wide)})
    found = geometry(recording)
    assert counts(found) == (11, 1, 0, 0)
    (difference,) = found.differences
    assert difference.position == 3
    assert [one and one.shape.grid for one in difference.launches] == [(12, 1, 1), (24, 1, 1)]
    assert first_difference(comparison(recording)) == (
        "at position 3: rank 0 k3 grid 12 block 128; rank 1 k3 grid 24 block 128"
    )
    (finding,) = (one for one in audit(recording).recording_findings if one.rule_id == "GA907")
    assert finding.severity == "warning"
    assert "at 1 of 12 positions, first at position 3: rank 0 k3 grid 12" in finding.message


def test_another_block_is_one_too_and_equal_ranks_stand_together() -> None:
    other = replace(LAYOUT[0], threads=256)
    recording = run({0: changed(0, other), 1: LAYOUT, 2: LAYOUT})
    assert counts(geometry(recording)) == (11, 1, 0, 0)
    assert first_difference(comparison(recording)) == (
        "at position 0: rank 0 k0 grid 12 block 256; ranks 1, 2 k0 grid 12 block 128"
    )


def test_a_difference_in_one_token_counts_once() -> None:
    """Rank 1 has another grid in the second token of three, at one position."""
    launches = tokens(LAYOUT, 3, 1_000)
    place = len(LAYOUT) + 5
    odd = [*launches[:place], replace(launches[place], blocks=48), *launches[place + 1 :]]
    found = geometry(join_recordings([part(0, launches), part(1, odd)]))
    assert counts(found) == (11, 1, 0, 0)
    assert [one and one.shape.grid for one in found.differences[0].launches] == [
        (12, 1, 1),
        (48, 1, 1),
    ]


def test_a_position_that_a_rank_lacks() -> None:
    recording = run({0: LAYOUT, 1: LAYOUT[:-1]})
    found = geometry(recording)
    assert counts(found) == (11, 0, 1, 0)
    assert first_difference(comparison(recording)) == (
        "at position 11: rank 0 k11 grid 12 block 128; rank 1 nothing"
    )
    (finding,) = (one for one in audit(recording).recording_findings if one.rule_id == "GA907")
    assert finding.severity == "note"


def test_launches_that_the_template_lacks_are_counted_apart() -> None:
    """The template is of the most steps, those of ranks 1 and 2; rank 0 samples besides."""
    sample = Launch(kernel="sample", start=300, blocks=1)
    found = geometry(run({0: [*LAYOUT, sample], 1: LAYOUT, 2: LAYOUT}))
    assert counts(found) == (12, 0, 0, 0)
    assert found.unplaced == (3, 0, 0)


def test_an_unknown_grid_is_not_called_the_same() -> None:
    untold = [replace(one, blocks=None) if place == 2 else one for place, one in enumerate(LAYOUT)]
    assert counts(geometry(run({0: LAYOUT, 1: untold}))) == (11, 0, 0, 1)


@pytest.mark.parametrize(
    ("values", "expected"),
    [((1, 1), (12, 0)), ((1, 2), (0, 12)), ((None, 2), (12, 0)), ((None, None), (12, 0))],
)
def test_shared_memory_is_compared_where_both_are_known(
    values: tuple[int | None, int | None], expected: tuple[int, int]
) -> None:
    parts = [
        _with(part(number, tokens(LAYOUT, 1, 1_000)), s.DYNAMIC_SHARED_BYTES, value)
        for number, value in enumerate(values)
    ]
    found = geometry(join_recordings(parts))
    assert (found.same, found.differing) == expected


def _with(recording: Recording, name: str, value: int | None) -> Recording:
    column = pd.array([value] * len(recording.launches), dtype="Int64")
    return replace(recording, launches=recording.launches.assign(**{name: column}))


def test_what_differs_beside_grid_and_block_is_named() -> None:
    parts: Sequence[Recording] = [
        _with(part(number, tokens(LAYOUT, 1, 1_000)), s.DYNAMIC_SHARED_BYTES, 4096 * (number + 1))
        for number in range(2)
    ]
    found = geometry(join_recordings(parts))
    assert difference_sentence(found.differences[0], (0, 1)) == (
        "at position 0: rank 0 k0 grid 12 block 128 dynamic shared memory 4.00 KiB; "
        "rank 1 k0 grid 12 block 128 dynamic shared memory 8.00 KiB"
    )
