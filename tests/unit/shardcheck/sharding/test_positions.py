"""Extents of tensors by position."""

import pytest

from geoaudit.shardcheck.sharding.positions import Position, dimension_at, position_of


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("q.shape[1]", Position(tensor="q", index=1)),
        ("q.shape[-1]", Position(tensor="q", index=-1)),
        ("self.cache.shape[0]", Position(tensor="self.cache", index=0)),
        ("q.size(2)", Position(tensor="q", index=2)),
        ("q.dim(2)", Position(tensor="q", index=2)),
        ("q.sizes()[2]", Position(tensor="q", index=2)),
        ("src->ne[2]", Position(tensor="src", index=2, innermost_first=True)),
        ("src.ne[1]", Position(tensor="src", index=1, innermost_first=True)),
        ("ne02", Position(tensor="0", index=2, innermost_first=True)),
        ("nek1", Position(tensor="", index=1, innermost_first=True)),
        ("q.shape", None),
        ("q.shape[i]", None),
        ("q.size()", None),
        ("n_head", None),
        ("next", None),
        ("ne", None),
    ],
)
def test_names_that_are_positions(name: str, expected: Position | None) -> None:
    assert position_of(name) == expected


@pytest.mark.parametrize(
    ("name", "names", "others", "surroundings", "expected"),
    [
        ("q.shape[1]", (), (), "attention", "heads"),
        ("k.shape[1]", (), (), "attention", "kv_heads"),
        ("v_cache.shape[1]", (), (), "attention", "value_heads"),
        ("q.shape[0]", (), (), "attention", "batch"),
        ("q.shape[0]", (), (), "quantize", None),
        ("q.shape[1]", (), (), "quantize", None),
        ("q.shape[1]", ("head_num",), (), "quantize", "heads"),
        ("q.shape[1]", ("seq_len",), (), "attention", None),
        ("q.shape[1]", (), ("q.shape[2]",), "attention", None),
        ("q.shape[2]", (), ("q.shape[2]",), "attention", "heads"),
        ("q.shape[-1]", (), (), "attention", None),
        ("x.shape[1]", (), (), "attention", None),
        ("ne02", (), (), "flash_attn_ext", "heads"),
        ("ne01", (), (), "flash_attn_ext", None),
        ("ne02", (), (), "scale", None),
    ],
)
def test_what_stands_at_a_position(
    name: str, names: tuple[str, ...], others: tuple[str, ...], surroundings: str,
    expected: str | None,
) -> None:  # fmt: skip
    position = position_of(name)
    assert position is not None
    around = [one for one in map(position_of, others) if one is not None]
    found = dimension_at(position, names, around, surroundings)
    assert (found and found[0]) == expected
