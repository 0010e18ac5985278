"""What names say, and what they do not."""

import pytest

from geoaudit.shardcheck.words import (
    dimension_of,
    is_parallel_size,
    is_prefill,
    is_rank,
    is_sequence,
    is_sm_count,
    words_of,
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("params.numKvHeads_", ("num", "kv", "heads")),
        ("self._n_head", ("n", "head")),
        ("m_headCount", ("head", "count")),
        ("kMaxSplits", ("max", "splits")),
        ("HTTPServer", ("http", "server")),
        ("ns::n_head", ("n", "head")),
        ("p->n_head", ("n", "head")),
        ("get_heads()", ("get", "heads")),
        ("k", ("k",)),
        ("", ()),
    ],
)
def test_words(name: str, expected: tuple[str, ...]) -> None:
    assert words_of(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("n_head", "heads"),
        ("num_attention_heads", "heads"),
        ("numHeadsQ", "heads"),
        ("n_head_kv", "kv_heads"),
        ("num_key_value_heads", "kv_heads"),
        ("num_v_heads", "value_heads"),
        ("num_experts", "experts"),
        ("n_local_experts", "experts"),
        ("intermediate_size", "ffn"),
        ("vocab_size", "vocab"),
        ("head_dim", "head_dim"),
        ("max_context_len", "context"),
        ("num_tokens", "batch"),
        ("num_experts_per_tok", "top_k"),
        ("head_size", "head_dim"),
        ("head_idx", None),
        ("heads_per_group", None),
        ("head_stride", None),
        ("n_head_groups", None),
        ("max_num_heads", None),
        ("ahead", None),
        ("expert_ids", None),
        ("forehead", None),
    ],
)
def test_dimensions(name: str, expected: str | None) -> None:
    assert dimension_of(name) == expected


@pytest.mark.parametrize(
    ("name", "surroundings", "expected"),
    [
        ("dim", "selective_scan_kernel", "inner"),
        ("dim", "layer_norm", None),
        ("E", "fused_moe_kernel", "experts"),
        ("E", "gemm", None),
        ("nrows", "mul_mat_vec_q", "weight_rows"),
        ("nrows", "softmax", None),
    ],
)
def test_names_that_mean_something_in_some_midst(
    name: str, surroundings: str, expected: str | None
) -> None:
    assert dimension_of(name, surroundings) == expected


def test_names_that_say_a_role() -> None:
    assert {name for name in ("tp_rank", "rank", "local_rank", "lora_rank", "ranks", "q_lora_rank")
            if is_rank(name)} == {"tp_rank", "rank", "local_rank"}  # fmt: skip
    names = ("num_sms", "nsm", "smCount", "multiProcessorCount", "sm_scale", "sms_per_head", "cus")
    assert [name for name in names if is_sm_count(name)] == [
        "num_sms", "nsm", "smCount", "multiProcessorCount",
    ]  # fmt: skip
    names = ("tp_size", "world_size", "tp", "tile_size", "group_size", "block_size", "ep_size")
    assert [name for name in names if is_parallel_size(name)] == [
        "tp_size", "world_size", "tp", "ep_size",
    ]  # fmt: skip


def test_lengths_of_sequences() -> None:
    names = ("seq_len", "max_seqlen_q", "T", "num_tokens", "cu_seqlens", "kv_len", "heads", "tile")
    assert [name for name in names if is_sequence(name)] == [
        "seq_len", "max_seqlen_q", "T", "num_tokens", "cu_seqlens", "kv_len",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("surroundings", "expected"),
    [
        ("prefill_attention launch a.cu", True),
        ("attn launch prefill.cu", True),
        ("decode_attention launch prefill.cu", False),
        ("attn launch a.cu", False),
    ],
)
def test_prefill(surroundings: str, expected: bool) -> None:
    assert is_prefill(surroundings) is expected
