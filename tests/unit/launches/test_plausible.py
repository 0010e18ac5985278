import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.devices.spec import Vendor
from geoaudit.launches import schema as s
from geoaudit.launches.plausible import (
    LARGEST_AXES,
    LARGEST_BLOCK_THREADS,
    checked_geometry,
    checked_times,
    integer_array,
    kernel_names,
)

WIDE = st.none() | st.integers(-(2**70), 2**70) | st.integers(-2, 3)
DIMENSIONS = st.lists(st.tuples(*([WIDE] * 9)), min_size=1, max_size=6)


@given(st.lists(st.tuples(WIDE, WIDE), min_size=1, max_size=8))
def test_times_are_both_there_and_not_negative_or_both_null(
    records: list[tuple[int | None, int | None]],
) -> None:
    starts, ends = (integer_array(values) for values in zip(*records, strict=True))
    times, _ = checked_times(starts, ends)
    assert (times[s.START_NS].isna() == times[s.DURATION_NS].isna()).all()
    assert (times[s.DURATION_NS].dropna() >= 0).all()
    for (start, end), kept in zip(records, times[s.DURATION_NS], strict=True):
        if not pd.isna(kept):
            assert start is not None
            assert end is not None
            assert kept == end - start


@given(DIMENSIONS, st.sampled_from(["nvidia", "amd"]))
def test_a_grid_and_a_block_are_whole_or_unknown(
    records: list[tuple[int | None, ...]], vendor: Vendor
) -> None:
    names = (*s.GRID, *s.BLOCK, *s.CLUSTER)
    columns = {
        name: integer_array([record[place] for record in records])
        for place, name in enumerate(names)
    }
    checked, _ = checked_geometry(columns, vendor)
    table = pd.DataFrame(checked)
    for part in (s.GRID, s.BLOCK, s.CLUSTER):
        missing = table[[*part]].isna()
        assert (missing.all(axis=1) == missing.any(axis=1)).all()
    assert (table.min().dropna() >= 1).all()
    for name, largest in zip((*s.GRID, *s.BLOCK), LARGEST_AXES[vendor], strict=True):
        assert (table[name].dropna() <= largest).all()
    assert (table[[*s.BLOCK]].prod(axis=1) <= LARGEST_BLOCK_THREADS).all()
    assert not (table[s.GRID_X].isna() & table[s.CLUSTER_X].notna()).any()


def geometry_of(
    grid: tuple[int | None, int, int], block: tuple[int | None, int, int], vendor: Vendor
) -> tuple[bool, bool, list[str]]:
    """Whether grid and block are known once checked, and the warnings."""
    columns = {
        name: integer_array([value])
        for name, value in zip((*s.GRID, *s.BLOCK), (*grid, *block), strict=True)
    }
    checked, warnings = checked_geometry(columns, vendor)
    return bool(checked[s.GRID_X].notna()[0]), bool(checked[s.BLOCK_X].notna()[0]), warnings


@pytest.mark.parametrize(
    ("grid", "block", "vendors"),
    [
        ((2**31 - 1, 65_535, 65_535), (16, 1, 64), {"nvidia", "amd"}),
        ((2**31 - 1, 65_536, 1), (1024, 1, 1), {"amd"}),
        ((1, 1, 65_536), (1, 1024, 1), {"amd"}),
        ((1, 1, 1), (1, 1, 65), {"amd"}),
        ((2**31 - 1, 2**31 - 1, 4), (1, 1, 1), set()),
        ((2**31, 1, 1), (1, 1, 1), set()),
        ((1, 1, 1), (1025, 1, 1), set()),
        ((1, 1, 1), (33, 32, 1), set()),
        ((1, 0, 1), (1, 1, 1), set()),
        ((1, 1, 1), (-1, 1, 1), set()),
    ],
)
def test_what_no_launch_of_the_vendor_can_have_is_unknown_and_said(
    grid: tuple[int, int, int], block: tuple[int, int, int], vendors: set[str]
) -> None:
    choices: tuple[Vendor, ...] = ("nvidia", "amd")
    for vendor in choices:
        of_grid, of_block, warnings = geometry_of(grid, block, vendor)
        assert of_grid == of_block == (vendor in vendors) == (not warnings)


def test_a_block_is_known_without_a_grid_and_the_other_way_round() -> None:
    assert geometry_of((None, 1, 1), (128, 1, 1), "nvidia") == (False, True, [])
    assert geometry_of((12, 1, 1), (None, 1, 1), "nvidia") == (True, False, [])
    assert geometry_of((None, 1, 1), (1025, 1, 1), "nvidia")[:2] == (False, False)


def test_names_that_demangle_alike_are_one_kernel() -> None:
    names = pd.Series(["_Z1fi", "f(int)", None, "[CUDA memset]"], dtype=object)
    kinds = pd.Series([s.KIND_KERNEL] * 3 + [s.KIND_SET])
    columns = kernel_names(names, kinds)
    whole = columns[s.KERNEL]
    assert list(whole) == ["f(int)", "f(int)", "(unnamed kernel)", "[CUDA memset]"]
    assert list(whole.categories) == ["f(int)", "(unnamed kernel)", "[CUDA memset]"]
    assert list(columns[s.KERNEL_SHORT])[:2] == ["f", "f"]
    assert [pd.isna(owner) for owner in columns[s.OWNER]] == [False, False, False, True]


@pytest.mark.parametrize("count", [0, 1])
def test_tables_of_no_rows_have_names_too(count: int) -> None:
    names = pd.Series(["f"] * count, dtype=object)
    columns = kernel_names(names, pd.Series([s.KIND_KERNEL] * count, dtype=object))
    assert len(columns[s.KERNEL]) == count
