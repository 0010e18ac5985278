// Grouped-query attention of one token: head_dim 128, halves in the cache, 32 splits of the context.
//
//   gqa_append             writes the new token's key and value into the cache
//   gqa_attn_split         grid (32, heads), one warp a block
//   gqa_attn_split_hybrid  grid (32, heads), four warps a block
//   gqa_attn_split_shared  grid (32, heads), both bodies in one block of four warps
//   gqa_attn_combine       grid (1, heads): joins the 32 splits
//
// Four warps of a block finish a split sooner, but only where each has rows enough to pay for
// joining them. The gate is on the device: every launch reads the position, computes the rows per
// warp and works or leaves. The grid never depends on the context, so a captured graph stays valid,
// and with both kernels launched exactly one of them works. The price is the launch that leaves.
//
// The shared block is here as a warning. Its arithmetic is that of the other two; on the side of
// the gate where one warp works, the other three hold its block's place on the SM. Every operation
// of the one-warp body is rounded explicitly, so that both kernels give the same bytes there.
//
// The caches are [head of the cache][token][128]; partial_sums is [head][split][128] and
// partial_softmax [head][split] (maximum, sum), with maxima as powers of 2.

#include <cuda_fp16.h>

#include "programmatic.cuh"

constexpr int HEAD_DIM = 128;
constexpr int SPLITS = 32;
constexpr int HYBRID_WARPS = 4;
constexpr int LANES_PER_ROW = 16;                    // 16 bytes a lane, two rows a warp
constexpr int DIMS_PER_LANE = HEAD_DIM / LANES_PER_ROW;
constexpr int ROWS_PER_LANE = 4;                     // rows of a window, per half of the warp
constexpr int WINDOW = 2 * ROWS_PER_LANE;
constexpr float LOWEST = -3.402823466e38f;           // the maximum of no scores; its weight is 0

// The rows of one split of one head, and where they come from.
struct Split {
    const uint4* keys;     // row 0 of this head's cache, 16 pieces a row
    const uint4* values;
    int first;
    int end;
};

// What a warp knows of its rows. Each half of the warp has summed every other row; the maximum is
// the whole warp's.
struct Attention {
    float sums[DIMS_PER_LANE];
    float maximum;
    float weight;
};

// The gate: rows per warp if four warps shared a split.
__device__ __forceinline__ int rows_per_warp(int tokens)
{
    const int rows = (tokens + SPLITS - 1) / SPLITS;
    return (rows + HYBRID_WARPS - 1) / HYBRID_WARPS;
}

__device__ __forceinline__ Split split_of(const __half* keys, const __half* values, int tokens,
                                          int capacity, int heads, int cache_heads)
{
    const int rows = (tokens + SPLITS - 1) / SPLITS;
    const int cache_head = blockIdx.y / (heads / cache_heads);
    const long long offset = (long long)cache_head * capacity * HEAD_DIM;
    Split split;
    split.keys = reinterpret_cast<const uint4*>(keys + offset);
    split.values = reinterpret_cast<const uint4*>(values + offset);
    split.first = min((int)blockIdx.x * rows, tokens);
    split.end = min(split.first + rows, tokens);
    return split;
}

__device__ __forceinline__ void unpack(uint4 packed, float (&unpacked)[DIMS_PER_LANE])
{
    const __half2* pairs = reinterpret_cast<const __half2*>(&packed);
#pragma unroll
    for (int i = 0; i < DIMS_PER_LANE / 2; ++i) {
        const float2 pair = __half22float2(pairs[i]);
        unpacked[2 * i] = pair.x;
        unpacked[2 * i + 1] = pair.y;
    }
}

// The score of one row, known to the 16 lanes that share it.
__device__ __forceinline__ float score_of(const float (&query)[DIMS_PER_LANE], uint4 key)
{
    float elements[DIMS_PER_LANE];
    unpack(key, elements);
    float score = 0.0f;
#pragma unroll
    for (int i = 0; i < DIMS_PER_LANE; ++i) {
        score = __fmaf_rn(query[i], elements[i], score);
    }
#pragma unroll
    for (int distance = LANES_PER_ROW / 2; distance > 0; distance /= 2) {
        score = __fadd_rn(score, __shfl_xor_sync(0xffffffffu, score, distance));
    }
    return score;
}

// Online softmax of one warp over rows [first, end) of a split, eight rows at a time. The compiler
// requests the keys of a window, and then its values: 2 KB a warp.
__device__ __forceinline__ Attention attend(const Split& split, int first, int end,
                                            const float (&query)[DIMS_PER_LANE], int lane)
{
    const int half = lane / LANES_PER_ROW;
    const int piece = lane % LANES_PER_ROW;
    Attention attention = {{}, LOWEST, 0.0f};
    for (int window = first; window < end; window += WINDOW) {
        uint4 keys[ROWS_PER_LANE];
        uint4 values[ROWS_PER_LANE];
#pragma unroll
        for (int r = 0; r < ROWS_PER_LANE; ++r) {
            const int row = window + 2 * r + half;
            const bool is_valid = row < end;
            keys[r] = is_valid ? split.keys[(long long)row * LANES_PER_ROW + piece]
                               : make_uint4(0, 0, 0, 0);
            values[r] = is_valid ? split.values[(long long)row * LANES_PER_ROW + piece]
                                 : make_uint4(0, 0, 0, 0);
        }
        float scores[ROWS_PER_LANE];
        float maximum = attention.maximum;
#pragma unroll
        for (int r = 0; r < ROWS_PER_LANE; ++r) {
            const float score = score_of(query, keys[r]);
            scores[r] = window + 2 * r + half < end ? score : LOWEST;
            maximum = fmaxf(maximum, scores[r]);
        }
        maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffu, maximum, LANES_PER_ROW));
        const float rescale = exp2f(attention.maximum - maximum);
        attention.maximum = maximum;
        attention.weight = __fmul_rn(attention.weight, rescale);
#pragma unroll
        for (int i = 0; i < DIMS_PER_LANE; ++i) {
            attention.sums[i] = __fmul_rn(attention.sums[i], rescale);
        }
#pragma unroll
        for (int r = 0; r < ROWS_PER_LANE; ++r) {
            float elements[DIMS_PER_LANE];
            unpack(values[r], elements);
            const float weight = exp2f(scores[r] - maximum);
            attention.weight = __fadd_rn(attention.weight, weight);
#pragma unroll
            for (int i = 0; i < DIMS_PER_LANE; ++i) {
                attention.sums[i] = __fmaf_rn(weight, elements[i], attention.sums[i]);
            }
        }
    }
    return attention;
}

// Adds the two halves of the warp; afterwards all lanes hold whole sums.
__device__ __forceinline__ void join_halves(Attention& attention)
{
    attention.weight = __fadd_rn(
        attention.weight, __shfl_xor_sync(0xffffffffu, attention.weight, LANES_PER_ROW));
#pragma unroll
    for (int i = 0; i < DIMS_PER_LANE; ++i) {
        attention.sums[i] = __fadd_rn(
            attention.sums[i], __shfl_xor_sync(0xffffffffu, attention.sums[i], LANES_PER_ROW));
    }
}

// Scores become powers of 2, so the query carries the logarithm's base beside the usual scale.
__device__ __forceinline__ void load_query(float (&elements)[DIMS_PER_LANE], const float* query,
                                           float scale, int lane)
{
    const float* row = query + blockIdx.y * HEAD_DIM + lane % LANES_PER_ROW * DIMS_PER_LANE;
#pragma unroll
    for (int i = 0; i < DIMS_PER_LANE; ++i) {
        elements[i] = __fmul_rn(row[i], __fmul_rn(scale, 1.4426950408889634f));
    }
}

__device__ __forceinline__ void attend_with_one_warp(const float* query, const Split& split,
                                                     float* partial_sums, float2* partial_softmax,
                                                     float scale)
{
    const int lane = threadIdx.x;
    float elements[DIMS_PER_LANE];
    load_query(elements, query, scale, lane);
    Attention attention = attend(split, split.first, split.end, elements, lane);
    release_dependents();
    join_halves(attention);
    const int slot = blockIdx.y * SPLITS + blockIdx.x;
    if (lane < LANES_PER_ROW) {
        float4* row = reinterpret_cast<float4*>(partial_sums + slot * HEAD_DIM) + lane * 2;
        row[0] = make_float4(attention.sums[0], attention.sums[1], attention.sums[2],
                             attention.sums[3]);
        row[1] = make_float4(attention.sums[4], attention.sums[5], attention.sums[6],
                             attention.sums[7]);
    }
    if (lane == 0) {
        partial_softmax[slot] = make_float2(attention.maximum, attention.weight);
    }
}

// A warp takes a quarter of the split's rows, contiguous; the four results are joined in order.
__device__ __forceinline__ void attend_with_four_warps(const float* query, const Split& split,
                                                       float* partial_sums,
                                                       float2* partial_softmax, float scale)
{
    __shared__ float warp_sums[HYBRID_WARPS][HEAD_DIM];
    __shared__ float2 warp_softmax[HYBRID_WARPS];
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    const int rows = (split.end - split.first + HYBRID_WARPS - 1) / HYBRID_WARPS;
    const int first = min(split.first + warp * rows, split.end);
    float elements[DIMS_PER_LANE];
    load_query(elements, query, scale, lane);
    Attention attention = attend(split, first, min(first + rows, split.end), elements, lane);
    release_dependents();
    join_halves(attention);
    if (lane < LANES_PER_ROW) {
#pragma unroll
        for (int i = 0; i < DIMS_PER_LANE; ++i) {
            warp_sums[warp][lane * DIMS_PER_LANE + i] = attention.sums[i];
        }
    }
    if (lane == 0) {
        warp_softmax[warp] = make_float2(attention.maximum, attention.weight);
    }
    __syncthreads();

    float maximum = LOWEST;
    for (int other = 0; other < HYBRID_WARPS; ++other) {
        maximum = fmaxf(maximum, warp_softmax[other].x);
    }
    float sum = 0.0f;
    float weight = 0.0f;
    for (int other = 0; other < HYBRID_WARPS; ++other) {
        const float rescale = exp2f(warp_softmax[other].x - maximum);
        sum = __fmaf_rn(rescale, warp_sums[other][threadIdx.x], sum);
        weight = __fmaf_rn(rescale, warp_softmax[other].y, weight);
    }
    const int slot = blockIdx.y * SPLITS + blockIdx.x;
    partial_sums[slot * HEAD_DIM + threadIdx.x] = sum;
    if (threadIdx.x == 0) {
        partial_softmax[slot] = make_float2(maximum, weight);
    }
}

// gate 0: always works. gate > 0: leaves the contexts with that many rows per warp to the hybrid.
extern "C" __global__ void __launch_bounds__(32)
gqa_attn_split(const float* query, const __half* keys, const __half* values,
               float* __restrict__ partial_sums, float2* __restrict__ partial_softmax,
               const int* position, int capacity, int heads, int cache_heads, float scale,
               int gate)
{
    wait_for_predecessors();
    const int tokens = position[0] + 1;
    if (gate > 0 && rows_per_warp(tokens) >= gate) {
        return;
    }
    const Split split = split_of(keys, values, tokens, capacity, heads, cache_heads);
    attend_with_one_warp(query, split, partial_sums, partial_softmax, scale);
}

extern "C" __global__ void __launch_bounds__(HYBRID_WARPS * 32, 8)
gqa_attn_split_hybrid(const float* query, const __half* keys, const __half* values,
                      float* __restrict__ partial_sums, float2* __restrict__ partial_softmax,
                      const int* position, int capacity, int heads, int cache_heads, float scale,
                      int gate)
{
    wait_for_predecessors();
    const int tokens = position[0] + 1;
    if (rows_per_warp(tokens) < gate) {
        return;
    }
    const Split split = split_of(keys, values, tokens, capacity, heads, cache_heads);
    attend_with_four_warps(query, split, partial_sums, partial_softmax, scale);
}

extern "C" __global__ void __launch_bounds__(HYBRID_WARPS * 32, 8)
gqa_attn_split_shared(const float* query, const __half* keys, const __half* values,
                      float* __restrict__ partial_sums, float2* __restrict__ partial_softmax,
                      const int* position, int capacity, int heads, int cache_heads, float scale,
                      int gate)
{
    wait_for_predecessors();
    const int tokens = position[0] + 1;
    const Split split = split_of(keys, values, tokens, capacity, heads, cache_heads);
    if (rows_per_warp(tokens) >= gate) {
        attend_with_four_warps(query, split, partial_sums, partial_softmax, scale);
    } else if (threadIdx.x < 32) {
        attend_with_one_warp(query, split, partial_sums, partial_softmax, scale);
    }
}

// One thread an element. It does not know which kernel wrote the splits.
extern "C" __global__ void __launch_bounds__(HEAD_DIM)
gqa_attn_combine(const float* partial_sums, const float2* partial_softmax,
                 float* __restrict__ output)
{
    const int head = blockIdx.y;
    wait_for_predecessors();
    release_dependents();
    float maximum = LOWEST;
#pragma unroll
    for (int split = 0; split < SPLITS; ++split) {
        maximum = fmaxf(maximum, partial_softmax[head * SPLITS + split].x);
    }
    float sum = 0.0f;
    float weight = 0.0f;
#pragma unroll
    for (int split = 0; split < SPLITS; ++split) {
        const float2 softmax = partial_softmax[head * SPLITS + split];
        const float rescale = exp2f(softmax.x - maximum);
        sum = __fmaf_rn(rescale, partial_sums[(head * SPLITS + split) * HEAD_DIM + threadIdx.x],
                        sum);
        weight = __fmaf_rn(rescale, softmax.y, weight);
    }
    output[head * HEAD_DIM + threadIdx.x] = sum / weight;
}

// Grid: (heads of the cache). `projected` is [queries of all heads][keys][values] of one token.
extern "C" __global__ void __launch_bounds__(HEAD_DIM)
gqa_append(const float* projected, __half* __restrict__ keys,
           __half* __restrict__ values, const int* position, int capacity, int heads,
           int cache_heads)
{
    const int cache_head = blockIdx.x;
    const int element = threadIdx.x;
    wait_for_predecessors();
    release_dependents();
    const long long slot = ((long long)cache_head * capacity + position[0]) * HEAD_DIM + element;
    const float* key = projected + (heads + cache_head) * HEAD_DIM;
    keys[slot] = __float2half_rn(key[element]);
    values[slot] = __float2half_rn(key[cache_heads * HEAD_DIM + element]);
}
