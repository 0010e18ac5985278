"""What every kernel of the suite must compute, in float64 on the CPU.

Each function takes its kernel's arguments in the kernel's order: buffers as flat arrays of what
they held before the launch (bf16 as its bits, uint16), scalars as numbers. It returns what the
kernel's ``outputs`` of ``manifest.toml`` hold afterwards, in their order. Behind the end of what is
returned a buffer is as before; where it is NaN, anything may stand. Nothing is changed in place.

The functions know nothing of launch shapes, so that every arm is compared with the same figures:
arguments behind the last one that they name are an arm's own business. Where results are kept per
slice of a context, the slices are an input of the comparison, not of the mathematics.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]
Reals = NDArray[np.float64]
Outputs = tuple[Array, ...]

HEAD_DIM = 128
CONV_WIDTH = 4
LATENT = 512
ROPE = 64
SKIPPED_WEIGHT = np.float64(np.float32(0.08))  # compared with f32 weights on the device
SKIPPED_AFTER_POSITION = 16384
LOG2_E = np.log2(np.e)


def reals(array: Array) -> Reals:
    """The numbers of an array, anew; of bf16 bits, the numbers they stand for."""
    if array.dtype == np.uint16:
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.float64)


def _sigmoid(value: Reals) -> Reals:
    return 1.0 / (1.0 + np.exp(-value))


def _silu(value: Reals) -> Reals:
    return value * _sigmoid(value)


def _normed(rows: Reals, epsilon: float) -> Reals:
    """Rows over their root mean squares."""
    mean_square: Reals = np.mean(rows**2, axis=-1, keepdims=True)
    return rows / np.sqrt(mean_square + epsilon)


# ---- norms, elementwise -------------------------------------------------------------------------


def rms_norm(row: Array, weight: Array, _output: Array, width: int, epsilon: float) -> Outputs:
    """The first ``width`` elements over their root mean square, times the weight."""
    return (_normed(reals(row[:width]), epsilon) * reals(weight[:width]),)


def residual_add(residual: Array, update: Array, width: int) -> Outputs:
    """The sum of both."""
    return (reals(residual[:width]) + reals(update[:width]),)


def silu_multiply(gate_up: Array, _units: Array, width: int) -> Outputs:
    """silu(gate) * up, the gates being the first half."""
    gate, up = reals(gate_up).reshape(2, width)
    return (_silu(gate) * up,)


def embedding_lookup(table: Array, token: Array, _row: Array, width: int) -> Outputs:
    """The token's row of the table."""
    return (reals(table.reshape(-1, width)[int(token[0])]),)


# ---- products of a matrix with a vector ---------------------------------------------------------


def projection(
    weights: Array,
    vectors: Array,
    _output: Array,
    rows: int,
    columns: int,
    input_stride: int,
    output_stride: int,
    *_arm: int,
) -> Outputs:
    """Matrices times vectors; vectors and results lie in strides of the launch."""
    matrices = weights.reshape(-1, rows, columns)
    output = np.full((len(matrices) - 1) * output_stride + rows, np.nan)
    for place, matrix in enumerate(matrices):
        vector = reals(vectors[place * input_stride :][:columns])
        output[place * output_stride :][:rows] = reals(matrix) @ vector
    return (output,)


def router_scores(
    weights: Array, vector: Array, _scores: Array, experts: int, columns: int, *_arm: int
) -> Outputs:
    """The router's matrix times the normalised vector."""
    return (reals(weights).reshape(experts, columns) @ reals(vector),)


def lm_head(
    weights: Array, vector: Array, _logits: Array, vocabulary: int, columns: int, *_arm: int
) -> Outputs:
    """The head's matrix times the normalised vector."""
    return (reals(weights).reshape(vocabulary, columns) @ reals(vector),)


# ---- experts ------------------------------------------------------------------------------------


def router_top_k(
    scores: Array, _ids: Array, _weights: Array, experts: int, chosen_experts: int
) -> Outputs:
    """The best experts, best first, and the softmax of their scores; of equals the lower number."""
    values = reals(scores[:experts])
    chosen = np.argsort(-values, kind="stable")[:chosen_experts]
    weights = np.exp(values[chosen] - values[chosen[0]])
    return chosen.astype(np.int32), weights / weights.sum()


def _contributions(router_weights: Array, position: Array, skip: int) -> Reals:
    weights = reals(router_weights)
    if not skip or int(position[0]) <= SKIPPED_AFTER_POSITION:
        return weights
    return np.where(weights < SKIPPED_WEIGHT, 0.0, weights)


def expert_gate_up(
    weights: Array,
    vector: Array,
    expert_ids: Array,
    router_weights: Array,
    position: Array,
    _units: Array,
    width: int,
    columns: int,
    skip: int,
    *_arm: int,
) -> Outputs:
    """silu(gate · x) * (up · x) of every chosen expert; NaN for one that is skipped."""
    matrices = weights.reshape(-1, 2, width, columns)
    units = np.full((len(expert_ids), width), np.nan)
    for slot, contribution in enumerate(_contributions(router_weights, position, skip)):
        if contribution != 0.0:
            gate, up = reals(matrices[int(expert_ids[slot])]) @ reals(vector)
            units[slot] = _silu(gate) * up
    return (units.ravel(),)


def expert_down(
    weights: Array,
    units: Array,
    expert_ids: Array,
    router_weights: Array,
    position: Array,
    _output: Array,
    rows: int,
    width: int,
    chosen: int,
    skip: int,
    *_arm: int,
) -> Outputs:
    """The chosen experts' outputs, weighted and added; what is skipped is not looked at."""
    matrices = weights.reshape(-1, rows, width)
    vectors = reals(units).reshape(chosen, width)
    total = np.zeros(rows)
    for slot, contribution in enumerate(_contributions(router_weights, position, skip)):
        if contribution != 0.0:
            total += contribution * (reals(matrices[int(expert_ids[slot])]) @ vectors[slot])
    return (total,)


# ---- delta attention ----------------------------------------------------------------------------


def short_conv(
    projected: Array,
    weights: Array,
    state: Array,
    _query: Array,
    _key: Array,
    _value: Array,
    epsilon: float,
) -> Outputs:
    """Convolution with the last three inputs, SiLU, and unit length for queries and keys."""
    newest = reals(projected).reshape(3, -1, 1, HEAD_DIM)
    older = reals(state).reshape(3, -1, CONV_WIDTH - 1, HEAD_DIM)
    taps = reals(weights).reshape(3, -1, CONV_WIDTH, HEAD_DIM)
    history = np.concatenate([older, newest], axis=2)
    query, key, value = _silu((taps * history).sum(axis=2))
    query = _unit_length(query, epsilon) / np.sqrt(HEAD_DIM)
    key = _unit_length(key, epsilon)
    return history[:, :, 1:].ravel(), query.ravel(), key.ravel(), value.ravel()


def _unit_length(rows: Reals, epsilon: float) -> Reals:
    square: Reals = (rows**2).sum(axis=-1, keepdims=True)
    return rows / np.sqrt(square + epsilon)


def kda_gates(
    gates: Array,
    low_rank_output: Array,
    bias: Array,
    decay_rates: Array,
    _log_decay: Array,
    _beta: Array,
    low_rank_width: int,
) -> Outputs:
    """The decay's logarithm of every key element, and the learning rate of every head."""
    heads = len(decay_rates)
    decay = reals(gates)[: heads * HEAD_DIM] + reals(bias)
    rates = np.exp(reals(decay_rates))[:, np.newaxis]
    log_decay = -rates * np.logaddexp(0.0, decay).reshape(heads, HEAD_DIM)
    return log_decay.ravel(), _sigmoid(reals(low_rank_output)[low_rank_width:][:heads])


def kda_decode_step(
    state: Array,
    query: Array,
    key: Array,
    value: Array,
    log_decay: Array,
    beta: Array,
    _attention: Array,
    *_arm: int,
) -> Outputs:
    """The gated delta rule; state[head][j][i] holds key i of value column j."""
    states = reals(state).reshape(-1, HEAD_DIM, HEAD_DIM)
    queries, keys, values, log_decays = (
        reals(array).reshape(-1, HEAD_DIM) for array in (query, key, value, log_decay)
    )
    decayed = states * np.exp(log_decays)[:, np.newaxis, :]
    known = np.einsum("hji,hi->hj", decayed, keys)
    correction = reals(beta)[:, np.newaxis] * (values - known)
    updated = decayed + correction[:, :, np.newaxis] * keys[:, np.newaxis, :]
    return updated.ravel(), np.einsum("hji,hi->hj", updated, queries).ravel()


def gate_and_norm(
    attention: Array, gates: Array, weight: Array, _output: Array, epsilon: float
) -> Outputs:
    """The norm of every head's output, times its weight, times the sigmoid of its gate."""
    normed = _normed(reals(attention).reshape(-1, HEAD_DIM), epsilon)
    output_gates = reals(gates).reshape(2, -1, HEAD_DIM)[1]
    return ((normed * reals(weight) * _sigmoid(output_gates)).ravel(),)


# ---- latent attention ---------------------------------------------------------------------------


def mla_append(latent: Array, projected: Array, cache: Array, position: Array) -> Outputs:
    """The cache with the new token's row: the normalised latent part, then the rope part."""
    rows = reals(cache).reshape(-1, LATENT + ROPE)
    rows[int(position[0])] = np.concatenate([reals(latent[:LATENT]), reals(projected[LATENT:])])
    return (rows.ravel(),)


def mla_decode_split(
    query_latent: Array,
    query_up: Array,
    cache: Array,
    _sums: Array,
    _softmax: Array,
    heads: int,
    context: int,
    slice_tokens: int,
    scale: float,
) -> Outputs:
    """Unnormalised sums, largest score (of powers of 2) and sum of weights of slices and heads."""
    latent = reals(query_latent).reshape(heads, LATENT)
    rope = reals(query_up).reshape(heads, HEAD_DIM + ROPE)[:, HEAD_DIM:]
    query = np.concatenate([latent, rope], axis=1) * (LOG2_E * scale)
    cache_rows = cache.reshape(-1, LATENT + ROPE)
    sums, softmax = [], []
    for first in range(0, context, slice_tokens):
        rows = reals(cache_rows[first : min(first + slice_tokens, context)])
        scores = query @ rows.T
        maxima = scores.max(axis=1, keepdims=True)
        weights = np.exp2(scores - maxima)
        sums.append(weights @ rows[:, :LATENT])
        softmax.append(np.concatenate([maxima, weights.sum(axis=1, keepdims=True)], axis=1))
    return np.concatenate(sums).ravel(), np.concatenate(softmax).ravel()


def _joined(sums: Reals, softmax: Reals) -> Reals:
    """Attention out of parts: sums [part][head][element], softmax [part][head][maximum, sum]."""
    rescale = np.exp2(softmax[..., 0] - softmax[..., 0].max(axis=0))
    weights = (rescale * softmax[..., 1]).sum(axis=0)
    joined: Reals = (rescale[..., np.newaxis] * sums).sum(axis=0) / weights[:, np.newaxis]
    return joined


def mla_decode_combine(
    sums: Array, softmax: Array, _attention: Array, heads: int, slices: int
) -> Outputs:
    """The slices joined."""
    slice_sums = reals(sums[: slices * heads * LATENT]).reshape(slices, heads, LATENT)
    slice_softmax = reals(softmax[: slices * heads * 2]).reshape(slices, heads, 2)
    return (_joined(slice_sums, slice_softmax).ravel(),)


# ---- grouped-query attention --------------------------------------------------------------------


def gqa_append(
    projected: Array,
    keys: Array,
    values: Array,
    position: Array,
    capacity: int,
    heads: int,
    cache_heads: int,
) -> Outputs:
    """The caches with the new token's keys and values: [head of the cache][token][element]."""
    rows = reals(projected).reshape(-1, HEAD_DIM)[heads:].reshape(2, cache_heads, HEAD_DIM)
    caches = [reals(cache).reshape(cache_heads, capacity, HEAD_DIM) for cache in (keys, values)]
    for cache, new in zip(caches, rows, strict=True):
        cache[:, int(position[0])] = new
    return caches[0].ravel(), caches[1].ravel()


def gqa_attn_split(
    projected: Array,
    keys: Array,
    values: Array,
    _sums: Array,
    softmax: Array,
    position: Array,
    capacity: int,
    heads: int,
    cache_heads: int,
    scale: float,
    *_arm: int,
) -> Outputs:
    """Unnormalised sums, largest score and sum of weights of every head and split.

    A split without rows has no largest score: its sums and its weight are 0, its maximum NaN.
    """
    tokens, splits = int(position[0]) + 1, len(softmax) // (2 * heads)
    query = reals(projected[: heads * HEAD_DIM]).reshape(heads, HEAD_DIM) * (LOG2_E * scale)
    key_rows, value_rows = (
        reals(cache.reshape(cache_heads, capacity, HEAD_DIM)[:, :tokens])
        for cache in (keys, values)
    )
    rows = -(-tokens // splits)
    sums = np.zeros((heads, splits, HEAD_DIM))
    parts = np.full((heads, splits, 2), [np.nan, 0.0])
    for head in range(heads):
        cache_head = head // (heads // cache_heads)
        for split in range(-(-tokens // rows)):
            part = slice(split * rows, min((split + 1) * rows, tokens))
            scores = key_rows[cache_head, part] @ query[head]
            weights = np.exp2(scores - scores.max())
            sums[head, split] = weights @ value_rows[cache_head, part]
            parts[head, split] = scores.max(), weights.sum()
    return sums.ravel(), parts.ravel()


def gqa_attn_combine(sums: Array, softmax: Array, attention: Array) -> Outputs:
    """The splits joined."""
    heads = len(attention) // HEAD_DIM
    split_sums = reals(sums).reshape(heads, -1, HEAD_DIM).transpose(1, 0, 2)
    split_softmax = reals(softmax).reshape(heads, -1, 2).transpose(1, 0, 2)
    return (_joined(split_sums, split_softmax).ravel(),)


# ---- the next token -----------------------------------------------------------------------------


def argmax_partial(
    logits: Array,
    _best_logits: Array,
    _best_tokens: Array,
    vocabulary: int,
    chunk_tokens: int,
) -> Outputs:
    """The largest logit of every chunk, and where it is first found."""
    values = reals(logits[:vocabulary])
    starts = range(0, vocabulary, chunk_tokens)
    tokens = [start + int(values[start : start + chunk_tokens].argmax()) for start in starts]
    return values[tokens], np.array(tokens, dtype=np.int32)


def argmax(values: Array, *rest: Array | int) -> Outputs:
    """The token of the largest logit, the first of equals.

    Of all logits (logits, token, vocabulary) or, as an arm passes them, of the best of chunks
    (best logits, best tokens, token, chunks).
    """
    *tokens, _token, count = rest
    best = int(reals(values[: int(count)]).argmax())
    return (np.array([tokens[0][best] if tokens else best], dtype=np.int32),)
