"""What every kernel of the suite must compute, in float64 on the CPU.

Each function takes the kernel's inputs by the buffer names of its arguments in ``manifest.toml``,
and the symbols of the launch; it returns the outputs by name. Arrays are flat, as buffers are. A
bf16 buffer comes as its bits (uint16) or as numbers. Nothing is changed in place: a state that a
kernel updates is an input and, anew, an output.

The functions know nothing of launch shapes, so that every arm is compared with the same figures.
Where results are kept per slice of a context, the slices are an input of the comparison, not of
the mathematics.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[np.generic]]
Symbols = Mapping[str, int]
Outputs = dict[str, NDArray[np.generic]]
Reals = NDArray[np.float64]

EPSILON = 1e-6
HEAD_DIM = 128
CONV_WIDTH = 4
LATENT = 512
ROPE = 64
QUERY_ROW = HEAD_DIM + ROPE
GQA_SPLITS = 32
SKIPPED_WEIGHT = np.float64(np.float32(0.08))  # compared with f32 weights on the device
SKIPPED_AFTER_POSITION = 16384
LOG2_E = np.log2(np.e)


def reals(array: NDArray[np.generic]) -> Reals:
    """The numbers of an array; of bf16 bits, the numbers they stand for."""
    if array.dtype == np.uint16:
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.float64)


def _sigmoid(value: Reals) -> Reals:
    return 1.0 / (1.0 + np.exp(-value))


def _silu(value: Reals) -> Reals:
    return value * _sigmoid(value)


def _inverse_root_mean_square(rows: Reals) -> Reals:
    mean_square: Reals = np.mean(rows**2, axis=-1, keepdims=True)
    return 1.0 / np.sqrt(mean_square + EPSILON)


# ---- norms, elementwise -------------------------------------------------------------------------


def rms_norm(inputs: Arrays, symbols: Symbols) -> Outputs:
    """The first ``width`` elements over their root mean square, times the weight."""
    width = symbols["width"]
    row = reals(inputs["residual"][:width])
    weight = reals(inputs["attention_norm_weight"][:width])
    return {"normed": row * _inverse_root_mean_square(row) * weight}


def residual_add(inputs: Arrays, symbols: Symbols) -> Outputs:
    """The sum of both."""
    width = symbols["width"]
    return {"residual": reals(inputs["residual"][:width]) + reals(inputs["update"][:width])}


def silu_multiply(inputs: Arrays, symbols: Symbols) -> Outputs:
    """silu(gate) * up, the gates being the first half."""
    gate, up = reals(inputs["dense_gate_up"]).reshape(2, symbols["dense_width"])
    return {"dense_units": _silu(gate) * up}


def embedding_lookup(inputs: Arrays, symbols: Symbols) -> Outputs:
    """The token's row of the table."""
    table = inputs["embedding_table"].reshape(-1, symbols["hidden"])
    return {"residual": reals(table[int(inputs["token"][0])])}


# ---- products of a matrix with a vector ---------------------------------------------------------


def projection(inputs: Arrays, symbols: Symbols) -> Outputs:
    """Matrices times vectors; vectors and results lie in strides of the launch."""
    matrices, rows, columns = symbols["matrices"], symbols["rows"], symbols["columns"]
    weights = inputs["qkv_weight"][: matrices * rows * columns].reshape(matrices, rows, columns)
    output = np.zeros((matrices - 1) * symbols["output_stride"] + rows)
    for matrix in range(matrices):
        start = matrix * symbols["input_stride"]
        vector = reals(inputs["normed"][start : start + columns])
        place = matrix * symbols["output_stride"]
        output[place : place + rows] = reals(weights[matrix]) @ vector
    return {"qkv": output}


def router_scores(inputs: Arrays, symbols: Symbols) -> Outputs:
    """The router's matrix times the normalised vector."""
    weights = reals(inputs["router_weight"]).reshape(symbols["experts"], symbols["hidden"])
    return {"expert_scores": weights @ reals(inputs["normed"])}


def lm_head(inputs: Arrays, symbols: Symbols) -> Outputs:
    """The head's matrix times the normalised vector."""
    weights = reals(inputs["lm_head_weight"]).reshape(symbols["vocabulary"], symbols["hidden"])
    return {"logits": weights @ reals(inputs["normed"])}


# ---- experts ------------------------------------------------------------------------------------


def router_top_k(inputs: Arrays, symbols: Symbols) -> Outputs:
    """The best experts, best first, and the softmax of their scores; of equals the lower number."""
    scores = reals(inputs["expert_scores"][: symbols["experts"]])
    chosen = np.argsort(-scores, kind="stable")[: symbols["chosen_experts"]]
    weights = np.exp(scores[chosen] - scores[chosen[0]])
    return {
        "expert_ids": chosen.astype(np.int32),
        "expert_weights": weights / weights.sum(),
    }


def _contributions(inputs: Arrays, symbols: Symbols) -> Reals:
    weights = reals(inputs["expert_weights"])
    if not symbols["EXPERT_SKIP"] or int(inputs["position"][0]) <= SKIPPED_AFTER_POSITION:
        return weights
    return np.where(weights < SKIPPED_WEIGHT, 0.0, weights)


def expert_gate_up(inputs: Arrays, symbols: Symbols) -> Outputs:
    """silu(gate · x) * (up · x) of every chosen expert; NaN for one that is skipped."""
    width, hidden = symbols["expert_width"], symbols["hidden"]
    weights = inputs["expert_gate_up_weight"].reshape(-1, 2, width, hidden)
    vector = reals(inputs["normed"])
    contributions = _contributions(inputs, symbols)
    units = np.full((len(contributions), width), np.nan)
    for slot, expert in enumerate(inputs["expert_ids"]):
        if contributions[slot] != 0.0:
            gate, up = reals(weights[int(expert)]) @ vector
            units[slot] = _silu(gate) * up
    return {"expert_units": units.ravel()}


def expert_down(inputs: Arrays, symbols: Symbols) -> Outputs:
    """The chosen experts' outputs, weighted and added; what is skipped is not looked at."""
    width, hidden = symbols["expert_width"], symbols["hidden"]
    weights = inputs["expert_down_weight"].reshape(-1, hidden, width)
    units = reals(inputs["expert_units"]).reshape(-1, width)
    total = np.zeros(hidden)
    for slot, weight in enumerate(_contributions(inputs, symbols)):
        if weight != 0.0:
            total += weight * (reals(weights[int(inputs["expert_ids"][slot])]) @ units[slot])
    return {"expert_sum": total}


# ---- delta attention ----------------------------------------------------------------------------


def short_conv(inputs: Arrays, symbols: Symbols) -> Outputs:
    """Convolution with the last three inputs, SiLU, and unit length for queries and keys."""
    heads = symbols["n_head"]
    newest = reals(inputs["qkv"]).reshape(3, heads, 1, HEAD_DIM)
    older = reals(inputs["conv_state"]).reshape(3, heads, CONV_WIDTH - 1, HEAD_DIM)
    taps = reals(inputs["conv_weight"]).reshape(3, heads, CONV_WIDTH, HEAD_DIM)
    history = np.concatenate([older, newest], axis=2)
    query, key, value = _silu((taps * history).sum(axis=2))
    query = _unit_length(query) / np.sqrt(HEAD_DIM)
    return {
        "conv_state": history[:, :, 1:].ravel(),
        "query": query.ravel(),
        "key": _unit_length(key).ravel(),
        "value": value.ravel(),
    }


def _unit_length(rows: Reals) -> Reals:
    square: Reals = (rows**2).sum(axis=-1, keepdims=True)
    return rows / np.sqrt(square + EPSILON)


def kda_gates(inputs: Arrays, symbols: Symbols) -> Outputs:
    """The decay's logarithm of every key element, and the learning rate of every head."""
    heads = symbols["n_head"]
    decay = reals(inputs["gates"])[: heads * HEAD_DIM] + reals(inputs["gate_bias"])
    rates = np.exp(reals(inputs["decay_rates"]))[:, np.newaxis]
    log_decay = -rates * np.logaddexp(0.0, decay).reshape(heads, HEAD_DIM)
    learning_rates = reals(inputs["low_rank_output"])[2 * symbols["low_rank"] :][:heads]
    return {"log_decay": log_decay.ravel(), "beta": _sigmoid(learning_rates)}


def kda_decode_step(inputs: Arrays, symbols: Symbols) -> Outputs:
    """The gated delta rule; state[head][j][i] holds key i of value column j."""
    heads = symbols["n_head"]
    state = reals(inputs["kda_state"]).reshape(heads, HEAD_DIM, HEAD_DIM)
    query, key, value, log_decay = (
        reals(inputs[name]).reshape(heads, HEAD_DIM)
        for name in ("query", "key", "value", "log_decay")
    )
    decayed = state * np.exp(log_decay)[:, np.newaxis, :]
    known = np.einsum("hji,hi->hj", decayed, key)
    correction = reals(inputs["beta"])[:, np.newaxis] * (value - known)
    updated = decayed + correction[:, :, np.newaxis] * key[:, np.newaxis, :]
    output = np.einsum("hji,hi->hj", updated, query)
    return {"kda_state": updated.ravel(), "attention": output.ravel()}


def gate_and_norm(inputs: Arrays, symbols: Symbols) -> Outputs:
    """The norm of every head's output, times its weight, times the sigmoid of its gate."""
    heads = symbols["n_head"]
    attention = reals(inputs["attention"]).reshape(heads, HEAD_DIM)
    gates = reals(inputs["gates"]).reshape(2, heads, HEAD_DIM)[1]
    normed = attention * _inverse_root_mean_square(attention)
    return {"gated": (normed * reals(inputs["output_norm_weight"]) * _sigmoid(gates)).ravel()}


# ---- latent attention ---------------------------------------------------------------------------


def mla_append(inputs: Arrays, symbols: Symbols) -> Outputs:
    """The new token's row alone: the normalised latent part, then the rope part."""
    rope = reals(inputs["latent_down"])[LATENT:]
    return {"latent_cache": np.concatenate([reals(inputs["latent_normed"])[:LATENT], rope])}


def _mla_scores(inputs: Arrays, symbols: Symbols, first: int, end: int) -> tuple[Reals, Reals]:
    """Scores of all heads for some tokens, as powers of 2, and those tokens' cache rows."""
    heads = symbols["n_head"]
    latent = reals(inputs["query_latent"]).reshape(heads, LATENT)
    rope = reals(inputs["query_up"]).reshape(heads, QUERY_ROW)[:, HEAD_DIM:]
    rows = reals(inputs["latent_cache"].reshape(-1, LATENT + ROPE)[first:end])
    scale = LOG2_E / np.sqrt(QUERY_ROW)
    return np.concatenate([latent, rope], axis=1) @ rows.T * scale, rows


def mla_decode_split(inputs: Arrays, symbols: Symbols) -> Outputs:
    """Unnormalised sums, largest score and sum of weights of every slice and head."""
    context, tokens = symbols["context"], symbols["mla_slice"]
    sums, softmax = [], []
    for first in range(0, context, tokens):
        scores, rows = _mla_scores(inputs, symbols, first, min(first + tokens, context))
        maxima = scores.max(axis=1, keepdims=True)
        weights = np.exp2(scores - maxima)
        sums.append(weights @ rows[:, :LATENT])
        softmax.append(np.concatenate([maxima, weights.sum(axis=1, keepdims=True)], axis=1))
    return {
        "mla_partial_sums": np.concatenate(sums).ravel(),
        "mla_partial_softmax": np.concatenate(softmax).ravel(),
    }


def _joined(sums: Reals, softmax: Reals) -> Reals:
    """Attention out of parts: sums [part][head][element], softmax [part][head][maximum, sum]."""
    rescale = np.exp2(softmax[..., 0] - softmax[..., 0].max(axis=0))
    weights = (rescale * softmax[..., 1]).sum(axis=0)
    joined: Reals = (rescale[..., np.newaxis] * sums).sum(axis=0) / weights[:, np.newaxis]
    return joined


def mla_decode_combine(inputs: Arrays, symbols: Symbols) -> Outputs:
    """The slices joined."""
    heads, slices = symbols["n_head"], symbols["mla_slices"]
    sums = reals(inputs["mla_partial_sums"][: slices * heads * LATENT])
    softmax = reals(inputs["mla_partial_softmax"][: slices * heads * 2])
    joined = _joined(sums.reshape(slices, heads, LATENT), softmax.reshape(slices, heads, 2))
    return {"latent_attention": joined.ravel()}


def mla_decode(inputs: Arrays, symbols: Symbols) -> Outputs:
    """Split and combine together: the softmax over the whole context, however it was cut."""
    partial = mla_decode_split(inputs, symbols)
    slices = -(-symbols["context"] // symbols["mla_slice"])
    return mla_decode_combine(partial, {**symbols, "mla_slices": slices})


# ---- grouped-query attention --------------------------------------------------------------------


def gqa_append(inputs: Arrays, symbols: Symbols) -> Outputs:
    """The new token's keys and values alone: [head of the cache][element]."""
    heads, cache_heads = symbols["gqa_n_head"], symbols["gqa_cache_heads"]
    rows = reals(inputs["gqa_qkv"]).reshape(heads + 2 * cache_heads, HEAD_DIM)[heads:]
    return {
        "gqa_keys": rows[:cache_heads].ravel(),
        "gqa_values": rows[cache_heads:].ravel(),
    }


def gqa_attn_split(inputs: Arrays, symbols: Symbols) -> Outputs:
    """Unnormalised sums, largest score and sum of weights of every head and split.

    A split without rows has no largest score: its sums and its weight are 0, its maximum NaN.
    """
    heads, cache_heads = symbols["gqa_n_head"], symbols["gqa_cache_heads"]
    tokens = int(inputs["gqa_position"][0]) + 1
    query = reals(inputs["gqa_qkv"])[: heads * HEAD_DIM].reshape(heads, HEAD_DIM)
    query = query * (LOG2_E / np.sqrt(HEAD_DIM))
    keys, values = (
        reals(inputs[name].reshape(cache_heads, -1, HEAD_DIM)[:, :tokens])
        for name in ("gqa_keys", "gqa_values")
    )
    rows = -(-tokens // GQA_SPLITS)
    sums = np.zeros((heads, GQA_SPLITS, HEAD_DIM))
    softmax = np.full((heads, GQA_SPLITS, 2), [np.nan, 0.0])
    for head in range(heads):
        cache_head = head // (heads // cache_heads)
        for split in range(-(-tokens // rows)):
            part = slice(split * rows, min((split + 1) * rows, tokens))
            scores = keys[cache_head, part] @ query[head]
            weights = np.exp2(scores - scores.max())
            sums[head, split] = weights @ values[cache_head, part]
            softmax[head, split] = scores.max(), weights.sum()
    return {"gqa_partial_sums": sums.ravel(), "gqa_partial_softmax": softmax.ravel()}


def gqa_attn_combine(inputs: Arrays, symbols: Symbols) -> Outputs:
    """The splits joined."""
    heads = symbols["gqa_n_head"]
    sums = reals(inputs["gqa_partial_sums"]).reshape(heads, GQA_SPLITS, HEAD_DIM)
    softmax = reals(inputs["gqa_partial_softmax"]).reshape(heads, GQA_SPLITS, 2)
    lowest = float(np.finfo(np.float32).min)
    maxima = np.where(np.isnan(softmax[..., :1]), lowest, softmax[..., :1])
    softmax = np.concatenate([maxima, softmax[..., 1:]], axis=2)
    joined = _joined(sums.transpose(1, 0, 2), softmax.transpose(1, 0, 2))
    return {"gqa_attention": joined.ravel()}


def gqa_attention(inputs: Arrays, symbols: Symbols) -> Outputs:
    """Split and combine together: the softmax over the whole context, however it was cut."""
    return gqa_attn_combine(gqa_attn_split(inputs, symbols), symbols)


# ---- the next token -----------------------------------------------------------------------------


def argmax_partial(inputs: Arrays, symbols: Symbols) -> Outputs:
    """The largest logit of every chunk, and where it is first found."""
    logits = reals(inputs["logits"][: symbols["vocabulary"]])
    starts = range(0, len(logits), symbols["argmax_chunk"])
    chunks = [logits[start : start + symbols["argmax_chunk"]] for start in starts]
    tokens = [start + int(chunk.argmax()) for start, chunk in zip(starts, chunks, strict=True)]
    return {
        "best_logits": np.array([chunk.max() for chunk in chunks]),
        "best_tokens": np.array(tokens, dtype=np.int32),
    }


def argmax(inputs: Arrays, symbols: Symbols) -> Outputs:
    """The token of the largest logit, the first of equals; from chunks where they are given."""
    if "logits" in inputs:
        best = int(reals(inputs["logits"][: symbols["vocabulary"]]).argmax())
    else:
        best = int(inputs["best_tokens"][int(reals(inputs["best_logits"]).argmax())])
    return {"token": np.array([best], dtype=np.int32)}
