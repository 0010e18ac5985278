"""What is sharded, why, and by which rounding rule."""

from dataclasses import replace

import pytest

from geoaudit.shardcheck.sharding.divisions import divisions, row_ranges
from geoaudit.shardcheck.sharding.options import GivenDimension, ShardOptions
from geoaudit.shardcheck.sharding.roles import roles_of
from geoaudit.shardcheck.sharding.worth import Fixed, worths
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


ROWS = named("rows")


@pytest.mark.parametrize(
    ("bound", "values", "expected", "rounding"),
    [
        (SHARE, {"total_num_heads": 96}, (96, 12), "floor"),
        (arithmetic("max", number(1), SHARE), {"total_num_heads": 4}, (4, 1), "at_least_one"),
        (product(SHARE, number(2)), {"total_num_heads": 96}, (192, 24), "floor"),
        (arithmetic("//", named("width"), number(2)), {"width": 96}, None, ""),
    ],
)
def test_a_parameter_is_what_callers_in_other_files_divide(
    bound: Extent, values: dict[str, int], expected: tuple[int, int] | None, rounding: str
) -> None:
    one = replace(site(ROWS), bindings=((ROWS, bound),))
    given = options(**values)
    roles = roles_of(one, given)
    if expected is None:
        assert roles.sharded == ()
        return
    found = [worths(roles.by_symbol, given, ranks)(ROWS) for ranks in (1, 8)]
    assert [one if isinstance(one, int) else max(one or ()) for one in found] == list(expected)
    (dimension,) = roles.sharded
    assert (dimension.is_certain, dimension.rounding) == (True, rounding)


def test_a_number_that_callers_pass_is_taken_for_granted_and_told() -> None:
    one = replace(site(ROWS), bindings=((ROWS, number(7)),))
    role = roles_of(one, options()).by_symbol[ROWS]
    assert isinstance(role, Fixed)
    assert role.values == (7,)
    assert role.taken


def test_a_number_that_callers_pass_does_not_hide_a_sharded_name() -> None:
    heads = named("n_head")
    one = replace(site(heads), bindings=((heads, number(32)),))
    assert [found.name for found in roles_of(one, options()).sharded] == ["n_head"]


def test_a_name_on_the_way_is_the_last_that_is_asked() -> None:
    one = replace(site(named("x")), grid=site(named("x"), names=("n_head",)).grid)
    (dimension,) = roles_of(one, options(GivenDimension(name="n_head", total=96))).sharded
    assert (dimension.total, dimension.is_certain) == (None, True)
    assert roles_of(site(named("x"), names=("width",)), options()).sharded == ()
