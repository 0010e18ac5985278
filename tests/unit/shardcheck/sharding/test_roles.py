"""What is sharded, why, and by which rounding rule."""

import pytest

from geoaudit.shardcheck.sharding.divisions import divisions, row_ranges
from geoaudit.shardcheck.sharding.options import ShardOptions
from geoaudit.shardcheck.sharding.roles import roles_of
from geoaudit.shardcheck.symbolic.extents import Extent
from geoaudit.shardcheck.symbolic.making import arithmetic, product

from ..site_builders import H200, TP, named, number, options, site

TOTAL = named("self.total_num_heads", "field")
RANK = named("rank", "rank")
SHARE = arithmetic("//", TOTAL, TP)


@pytest.mark.parametrize(
    ("extent", "rounding"),
    [
        (SHARE, "floor"),
        (arithmetic("/", TOTAL, TP), "exact"),
        (arithmetic("max", number(1), SHARE), "at_least_one"),
        (
            arithmetic("//", arithmetic("-", arithmetic("+", TOTAL, TP), number(1)), TP),
            "ceil",
        ),
        (arithmetic("+", SHARE, arithmetic("<", RANK, arithmetic("%", TOTAL, TP))), "ceil"),
    ],
)
def test_the_rounding_rule_is_read_off_the_division(extent: Extent, rounding: str) -> None:
    (found,) = divisions(product(extent, number(4)))
    assert (found.total, found.by, found.rounding) == (TOTAL, "tp", rounding)


def test_ranks_of_data_parallelism_divide_no_width() -> None:
    assert divisions(arithmetic("//", TOTAL, named("dp_size", "parallel_size"))) == ()


def test_a_range_of_rows_is_a_share() -> None:
    high, low = named("row_high"), named("row_low")
    extent = arithmetic("-", high, low)
    assert row_ranges(extent) == ((high, low),)
    (dimension,) = roles_of(site(extent), options()).sharded
    assert dimension.is_certain
    assert "weight matrix" in dimension.reason


@pytest.mark.parametrize(
    ("name", "others", "kernel", "is_sharded"),
    [
        ("params.h", (), "flash_fwd_kernel", True),
        ("NH", ("B", "T"), "softmax_kernel", True),
        ("n_local_experts", (), "build", True),
        ("ffn", (), "gate_up", True),
        ("params.dim", (), "selective_scan_fwd", True),
        ("params.dim", (), "layer_norm", False),
        ("args.nrows_x", (), "mul_mat_vec_q", True),
        ("params.ne02", ("params.ne01",), "soft_max_f32", True),
        ("params.ne02", ("params.ne01",), "scale_f32", False),
        ("query.size(1)", (), "paged_attention_v2", True),
        ("q.shape[1]", ("q.shape[0]", "n_row", "seq_len"), "rope", False),
        ("q.shape[1]", ("T", "NT"), "chunk_fwd_o_attn", False),
        ("v.shape[2]", ("B", "HV"), "recurrent", True),
        ("mid_out.shape[1]", ("head_num",), "stage2", True),
        ("x.shape[1]", (), "quantize", False),
        *(
            (name, (), "norm", False)
            for name in (
                "num_tokens",
                "batch",
                "seq_len",
                "nrows",
                "ncols",
                "nchannels",
                "n",
                "size",
                "numel",
                "head_dim",
                "heads_per_block",
                "n_head_groups",
                "num_blocks",
                "top_k",
            )
        ),
    ],
)
def test_names_and_positions(
    name: str, others: tuple[str, ...], kernel: str, is_sharded: bool
) -> None:
    found = roles_of(site(named(name), kernel=kernel, names=others), options()).sharded
    assert [dimension.name for dimension in found] == ([name] if is_sharded else [])
    assert not any(dimension.is_certain for dimension in found)


def test_a_model_gives_totals_and_sizes() -> None:
    known = ShardOptions(sms=H200, model={"kv_heads": 8, "heads": 64, "head_dim": 128})
    roles = roles_of(site(named("num_kv_heads"), named("HV"), named("head_dim")), known)
    assert [one.total for one in roles.sharded] == [8, 64]
    assert [one.rounding for one in roles.sharded] == ["at_least_one", "exact"]


def test_a_total_is_not_divided_twice() -> None:
    (dimension,) = roles_of(site(SHARE), options(total_num_heads=96)).sharded
    assert (dimension.name, dimension.total) == ("self.total_num_heads", 96)
