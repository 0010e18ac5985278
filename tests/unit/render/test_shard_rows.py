"""Launches of one kernel that say the same are one row of a table."""

from geoaudit.render.shard_rows import rows_of

from .shard_builders import site


def test_launches_of_one_kernel_that_say_the_same_are_one_row() -> None:
    sites = [site(line=line, grid=("n_head", str(line % 2), "1")) for line in (30, 12, 15, 20)]

    (row,) = rows_of(sites)

    assert row.times == " × 4"
    assert row.places == f"{sites[0].path}:12, 15, 20, 30"
    assert row.grids == "(n_head, 0) or (n_head)"


def test_other_blocks_another_verdict_and_another_file_are_rows_of_their_own() -> None:
    sites = [
        site(),
        site(blocks={1: 7, 8: 1}),
        site(behaviour="unknown"),
        site(path="other.cu"),
    ]

    assert [len(row.sites) for row in rows_of(sites)] == [1, 1, 1, 1]


def test_many_places_are_counted() -> None:
    (row,) = rows_of([site(line=line) for line in range(1, 31)])

    assert row.places.endswith(":1, 2, 3, 4, 5, 6 and 24 more")
