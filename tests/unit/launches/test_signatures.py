import pandas as pd
import pytest

from geoaudit.launches import schema as s
from geoaudit.launches.signatures import group_ids, signature_ids
from geoaudit.launches.table import build_launches

LAUNCH: dict[str, object] = {
    s.KIND: s.KIND_KERNEL,
    s.KERNEL: "gemm",
    s.KERNEL_SHORT: "gemm",
    s.DEVICE: 0,
    s.START_NS: 0,
    s.DURATION_NS: 5,
    **dict.fromkeys((*s.GRID, *s.BLOCK), 4),
    **dict.fromkeys(s.CLUSTER, 1),
    s.REGISTERS_PER_THREAD: 64,
    s.SHARED_BYTES: 2048,
    s.DYNAMIC_SHARED_BYTES: 1024,
    s.STREAM: 7,
}


def launches(*changes: dict[str, object]) -> pd.DataFrame:
    """One launch for each set of changed columns, in this order."""
    rows = [{**LAUNCH, s.START_NS: at, **change} for at, change in enumerate(changes)]
    return build_launches({name: [row[name] for row in rows] for name in LAUNCH})


@pytest.mark.parametrize(
    "changed",
    [
        {s.KERNEL: "other"},
        *({axis: 2} for axis in (*s.GRID, *s.BLOCK, *s.CLUSTER)),
        {s.CLUSTER_X: None},
        {s.REGISTERS_PER_THREAD: 65},
        {s.SHARED_BYTES: 4096},
        {s.SHARED_BYTES: None},
        {s.DYNAMIC_SHARED_BYTES: 2048},
    ],
    ids=str,
)
def test_what_asks_for_something_else_is_another_signature(changed: dict[str, object]) -> None:
    assert signature_ids(launches({}, changed, {})).tolist() == [0, 1, 0]


def test_each_device_has_signatures_of_its_own() -> None:
    assert signature_ids(launches({}, {}, {s.DEVICE: 1})).tolist() == [0, 0, 1]


@pytest.mark.parametrize("changed", [{s.STREAM: 8}, {s.DURATION_NS: 9}, {s.DURATION_NS: None}])
def test_when_and_where_it_ran_is_no_part_of_it(changed: dict[str, object]) -> None:
    assert signature_ids(launches({}, changed)).tolist() == [0, 0]


def test_null_equals_null() -> None:
    unknown = dict.fromkeys(s.CLUSTER)
    assert signature_ids(launches(unknown, {}, unknown)).tolist() == [0, 1, 0]


def test_groups_are_numbered_in_order_of_first_appearance() -> None:
    table = launches({s.STREAM: 9}, {s.STREAM: 3}, {s.STREAM: 9}, {s.STREAM: 1})
    assert group_ids(table, [s.STREAM]).tolist() == [0, 1, 0, 2]
    assert group_ids(table[:0], [s.STREAM]).tolist() == []
