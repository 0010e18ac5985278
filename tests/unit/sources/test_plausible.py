import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoaudit.launches import schema as s
from geoaudit.sources.plausible import (
    LARGEST_DIMENSION,
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


@given(DIMENSIONS)
def test_a_geometry_is_whole_or_unknown(records: list[tuple[int | None, ...]]) -> None:
    names = (*s.GRID, *s.BLOCK, *s.CLUSTER)
    columns = {
        name: integer_array([record[place] for record in records])
        for place, name in enumerate(names)
    }
    checked, _ = checked_geometry(columns)
    table = pd.DataFrame(checked)
    size = table[[*s.GRID, *s.BLOCK]]
    assert (size.isna().all(axis=1) == size.isna().any(axis=1)).all()
    assert (table.min().dropna() >= 1).all()
    assert (table.max().dropna() <= LARGEST_DIMENSION).all()
    assert not (table[s.GRID_X].isna() & table[s.CLUSTER_X].notna()).any()


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
