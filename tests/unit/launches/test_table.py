import numpy as np
import pytest

from geoaudit.errors import SchemaError
from geoaudit.launches import schema as s
from geoaudit.launches.table import build_launches, validate

MINIMAL = {s.KIND: "kernel", s.KERNEL: ["a", "b"], s.KERNEL_SHORT: ["a", "b"], s.DEVICE: 0}


def test_every_numeric_column_says_its_unit() -> None:
    identifiers = {
        s.DEVICE, s.RANK, s.PROCESS, s.CONTEXT, s.STREAM, s.GRAPH_ID, s.GRAPH_NODE_ID,
        s.CORRELATION_ID, s.STEP, s.TOKEN, s.POSITION,
    }  # fmt: skip
    for column in s.COLUMNS:
        assert column.meaning
        if column.type != "text":
            assert bool(column.unit) != (column.name in identifiers), column.name
        if column.unit in {"ns", "bytes", "fraction"}:
            assert column.name.endswith(column.unit), column.name


def test_launches_come_in_order_of_start_untimed_last() -> None:
    table = build_launches({**MINIMAL, s.START_NS: [None, 5]})
    assert table[s.KERNEL].tolist() == ["b", "a"]
    assert list(table.columns) == [column.name for column in s.COLUMNS]


def test_a_broken_rule_names_column_rule_and_first_bad_row() -> None:
    with pytest.raises(SchemaError, match="column duration_ns must be at least 0; first bad row 1"):
        build_launches({**MINIMAL, s.DURATION_NS: [1, -1]})
    with pytest.raises(SchemaError, match="column kernel must be never null; first bad row 0"):
        build_launches({**MINIMAL, s.KERNEL: [None, "b"]})
    with pytest.raises(SchemaError, match="column kind must be one of kernel, copy, set"):
        build_launches({**MINIMAL, s.KIND: "dance"})


def test_values_of_another_type_are_refused() -> None:
    with pytest.raises(SchemaError, match="column grid_x: not integer"):
        build_launches({**MINIMAL, s.GRID_X: ["one", "two"]})
    with pytest.raises(SchemaError, match="column grid_x: not integer"):
        build_launches({**MINIMAL, s.GRID_X: np.array([0.5, 1.0])})


def test_unknown_and_missing_columns_are_refused() -> None:
    with pytest.raises(SchemaError, match="no column named colour"):
        build_launches({**MINIMAL, "colour": "red"})
    with pytest.raises(SchemaError, match="missing .'kernel'"):
        validate(build_launches(MINIMAL).drop(columns=[s.KERNEL]))


def test_a_grid_beyond_32_bits_is_kept() -> None:
    table = build_launches({**MINIMAL, s.GRID_X: [2**31 - 1, 2**40]})
    assert table[s.GRID_X].tolist() == [2**31 - 1, 2**40]


def test_a_fraction_over_one_is_refused() -> None:
    broken = build_launches(MINIMAL).assign(**{s.SM_THROUGHPUT_FRACTION: 5.0})
    with pytest.raises(SchemaError, match="sm_throughput_fraction must be at most 1"):
        validate(broken)
