"""Options read from text; what does not read says what to write."""

import json

import pytest

from geoaudit.errors import InputError
from geoaudit.shardcheck.sharding.model_config import model_sizes
from geoaudit.shardcheck.sharding.options import (
    GivenDimension,
    parse_dimension,
    parse_ranks,
    parse_values,
)
from geoaudit.shardcheck.words import parallel_kind


def test_dimensions() -> None:
    assert parse_dimension("n_head=96:tp") == GivenDimension(name="n_head", total=96)
    assert parse_dimension("params.ne02") == GivenDimension(name="params.ne02")
    assert parse_dimension("kv=8:attn_tp:at_least_one") == GivenDimension(
        name="kv", total=8, by="attn_tp", rounding="at_least_one"
    )


@pytest.mark.parametrize("text", ["", "96", "n=x", "n=0:tp", "n=8:dp", "n=8:xp", "n=8:tp:up"])
def test_a_dimension_that_does_not_read(text: str) -> None:
    with pytest.raises(InputError, match="--dim"):
        parse_dimension(text)


def test_ranks() -> None:
    assert parse_ranks("tp=8,1,4") == ("tp", (1, 4, 8))
    for text in ("tp", "tp=", "tp=0", "dp=2", "1,2"):
        with pytest.raises(InputError, match="--shard"):
            parse_ranks(text)


def test_values() -> None:
    assert parse_values(["head_dim=128", "a=1_000", "a=2"]) == {"head_dim": 128, "a": 2}
    with pytest.raises(InputError, match="--set 'x='"):
        parse_values(["x="])


def test_a_model_of_several_parts() -> None:
    text = {"num_attention_heads": 32, "hidden_size": 4096, "n_routed_experts": 64}
    sizes = model_sizes(json.dumps({"model_type": "vl", "text_config": text}), "config.json")
    assert sizes == {
        "heads": 32,
        "kv_heads": 32,
        "hidden": 4096,
        "head_dim": 128,
        "experts": 64,
    }


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"hidden_size": true}', '{"text_config": 3}'])
def test_a_configuration_without_sizes(text: str) -> None:
    with pytest.raises(InputError, match=r"config\.json: "):
        model_sizes(text, "config.json")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("tp", "tp"),
        ("world_size", "tp"),
        ("self.tensor_parallel_size", "tp"),
        ("get_parallel().attn_tp_size", "attn_tp"),
        ("moe_tp_size", "moe_tp"),
        ("mapping.moe_ep_size", "ep"),
        ("nranks", "tp"),
        ("pipeline_para_.world_size_", "pp"),
        ("tp_q_head_num_", None),
        ("tile_size", None),
        ("data_size", None),
        ("context_size", None),
        ("n", None),
        ("tp_rank", None),
    ],
)
def test_parallel_sizes(name: str, kind: str | None) -> None:
    assert parallel_kind(name) == kind
