"""Sizes of a model from its Hugging Face ``config.json``."""

import json
from collections.abc import Mapping

from geoaudit.errors import InputError
from geoaudit.shardcheck import words

_KEYS: Mapping[str, tuple[str, ...]] = {
    words.HEADS: ("num_attention_heads", "n_head", "num_heads", "n_heads"),
    words.KV_HEADS: (
        "num_key_value_heads",
        "num_kv_heads",
        "multi_query_group_num",
        "n_kv_heads",
    ),
    words.VALUE_HEADS: ("linear_num_value_heads", "mamba_num_heads", "mamba_n_heads"),
    words.HIDDEN: ("hidden_size", "n_embd", "d_model"),
    words.FFN: ("intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim"),
    words.MOE_FFN: ("moe_intermediate_size",),
    words.EXPERTS: ("num_experts", "n_routed_experts", "num_local_experts"),
    words.TOP_K: ("num_experts_per_tok", "num_experts_per_token", "top_k"),
    words.VOCAB: ("vocab_size",),
    words.HEAD_DIM: ("head_dim",),
    words.INNER: ("d_inner", "mamba_d_inner"),
}
_NESTED = ("text_config", "language_config", "llm_config", "thinker_config")


def model_sizes(text: str, where: str) -> dict[str, int]:
    """Dimension (`words`) -> its size, before any division.

    The part for text of a configuration of several is taken. Key-value heads are as many as heads
    where nothing is said, and a head's size is hidden size / heads.

    Args:
        text: content of the file.
        where: its path, for messages.

    Raises:
        InputError: it is no JSON object, or it names no size.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not JSON: {error}. Give a model's config.json.") from error
    for _ in range(3):
        nested = [
            document[key] for key in _NESTED if isinstance(document, dict) and key in document
        ]
        document = nested[0] if nested and isinstance(nested[0], dict) else document
    sizes = _sizes(document) if isinstance(document, dict) else {}
    if not sizes:
        raise InputError(
            f"{where}: names no size of a model (num_attention_heads, hidden_size, ...). Give a "
            "config.json as Hugging Face models have it, or sizes with --set."
        )
    return sizes


def _sizes(document: Mapping[str, object]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for dimension, keys in _KEYS.items():
        for key in keys:
            value = document.get(key)
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                sizes[dimension] = value
                break
    expand = document.get("mamba_expand", document.get("expand"))
    heads, hidden = sizes.get(words.HEADS), sizes.get(words.HIDDEN)
    if heads is not None:
        sizes.setdefault(words.KV_HEADS, heads)
        if hidden is not None and hidden % heads == 0:
            sizes.setdefault(words.HEAD_DIM, hidden // heads)
    if isinstance(expand, int) and expand > 0 and hidden is not None:
        sizes.setdefault(words.INNER, expand * hidden)
    return sizes
