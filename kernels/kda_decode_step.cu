// One token of Kimi Delta Attention: the gated delta rule on a state of 128 x 128 floats per head.
//
// The state S[i][j] (key i, value j) is stored j-major: s[j * 128 + i]. For every column j:
//
//     P[i]  = S[i][j] * exp(g[i])                 the decayed column
//     d     = beta * (v[j] - sum_i P[i] * k[i])   what the state does not yet know of v[j]
//     S[i][j] = P[i] + k[i] * d                   rank-1 update
//     o[j]  = sum_i S[i][j] * q[i]
//
// A column touches itself and the head's k, q and g, which are read-only. So columns go to different
// blocks without a reduction between blocks, without reading any of the state twice and without
// another layout.
//
//   value_tile 0          one block a head. The decayed product is stored and read again.
//   value_tile 8, 16, 32  a grid of heads x value tiles; the product stays in registers.
//
// One warp works a column in both, lane l on keys 4l to 4l + 3, and sums it in the same order, so
// every tile gives the baseline's bytes. The store that is left out was also a rounding: the
// product is therefore rounded explicitly. With `contract` the product is fused with the addition
// instead: closer to the exact value, within any sane tolerance, and not the same bytes.

#include "programmatic.cuh"

constexpr int HEAD_DIM = 128;
constexpr int VECTORS_PER_COLUMN = HEAD_DIM / 4;  // one float4 a lane
constexpr int BASELINE_WARPS = 4;
constexpr int TILED_WARPS = 8;
constexpr int MAX_COLUMNS_PER_WARP = 4;  // tiles of up to 32 columns

// This lane's four elements of the head's vectors.
struct HeadVectors {
    float4 decay;
    float4 key;
    float4 query;
    float beta;
};

__device__ __forceinline__ HeadVectors load_head(const float* query, const float* key,
                                                 const float* log_decay, const float* beta,
                                                 int head, int lane)
{
    const int vector = head * VECTORS_PER_COLUMN + lane;
    HeadVectors vectors;
    vectors.query = reinterpret_cast<const float4*>(query)[vector];
    vectors.key = reinterpret_cast<const float4*>(key)[vector];
    const float4 g = reinterpret_cast<const float4*>(log_decay)[vector];
    vectors.decay = make_float4(expf(g.x), expf(g.y), expf(g.z), expf(g.w));
    vectors.beta = beta[head];
    return vectors;
}

__device__ __forceinline__ float4 multiply_rounded(float4 a, float4 b)
{
    return make_float4(__fmul_rn(a.x, b.x), __fmul_rn(a.y, b.y), __fmul_rn(a.z, b.z),
                       __fmul_rn(a.w, b.w));
}

// sum_i a[i] * b[i] over a column, known to all lanes. The only order a column is ever summed in.
__device__ __forceinline__ float column_dot(float4 a, float4 b)
{
    float sum = __fmul_rn(a.x, b.x);
    sum = __fmaf_rn(a.y, b.y, sum);
    sum = __fmaf_rn(a.z, b.z, sum);
    sum = __fmaf_rn(a.w, b.w, sum);
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        sum = __fadd_rn(sum, __shfl_xor_sync(0xffffffffu, sum, distance));
    }
    return sum;
}

__device__ __forceinline__ float correction_of(float beta, float value, float known)
{
    return __fmul_rn(beta, __fsub_rn(value, known));
}

// P + k * d with every product rounded, as when P came back from memory.
__device__ __forceinline__ float4 update_rounded(float4 decayed, float4 key, float correction)
{
    return make_float4(__fadd_rn(decayed.x, __fmul_rn(key.x, correction)),
                       __fadd_rn(decayed.y, __fmul_rn(key.y, correction)),
                       __fadd_rn(decayed.z, __fmul_rn(key.z, correction)),
                       __fadd_rn(decayed.w, __fmul_rn(key.w, correction)));
}

// S * exp(g) + k * d with the first product fused into the addition: what a compiler may do on its
// own as soon as the store between the two is gone.
__device__ __forceinline__ float4 update_contracted(float4 state, float4 decay, float4 key,
                                                    float correction)
{
    return make_float4(__fmaf_rn(state.x, decay.x, __fmul_rn(key.x, correction)),
                       __fmaf_rn(state.y, decay.y, __fmul_rn(key.y, correction)),
                       __fmaf_rn(state.z, decay.z, __fmul_rn(key.z, correction)),
                       __fmaf_rn(state.w, decay.w, __fmul_rn(key.w, correction)));
}

// One block works all columns of a head, in two passes with the decayed state in global memory
// between them.
__device__ __forceinline__ void step_of_head(float* state, const float* value, float* output,
                                             const HeadVectors& vectors, int head, int warp,
                                             int lane)
{
    __shared__ float corrections[HEAD_DIM];
    float4* head_state = reinterpret_cast<float4*>(state) + head * HEAD_DIM * VECTORS_PER_COLUMN;
    for (int column = warp; column < HEAD_DIM; column += BASELINE_WARPS) {
        float4* slot = head_state + column * VECTORS_PER_COLUMN + lane;
        const float4 decayed = multiply_rounded(*slot, vectors.decay);
        *slot = decayed;
        const float known = column_dot(decayed, vectors.key);
        if (lane == 0) {
            corrections[column] =
                correction_of(vectors.beta, value[head * HEAD_DIM + column], known);
        }
    }
    __syncthreads();
    for (int column = warp; column < HEAD_DIM; column += BASELINE_WARPS) {
        float4* slot = head_state + column * VECTORS_PER_COLUMN + lane;
        const float4 updated = update_rounded(*slot, vectors.key, corrections[column]);
        *slot = updated;
        const float result = column_dot(updated, vectors.query);
        if (lane == 0) {
            output[head * HEAD_DIM + column] = result;
        }
    }
}

// A warp's columns of one tile: their states, and the values they are to learn.
struct TileColumns {
    float4 states[MAX_COLUMNS_PER_WARP];
    float values[MAX_COLUMNS_PER_WARP];
};

constexpr int SLOT_STRIDE = TILED_WARPS * VECTORS_PER_COLUMN;

__device__ __forceinline__ TileColumns load_columns(const float4* slots, const float* values,
                                                    int columns)
{
    TileColumns tile;
#pragma unroll
    for (int c = 0; c < MAX_COLUMNS_PER_WARP; ++c) {
        if (c < columns) {
            tile.states[c] = slots[c * SLOT_STRIDE];
            tile.values[c] = values[c * TILED_WARPS];
        }
    }
    return tile;
}

__device__ __forceinline__ void step_of_columns(float4* slots, float* outputs,
                                                const TileColumns& tile,
                                                const HeadVectors& vectors, int columns,
                                                bool contract, int lane)
{
#pragma unroll
    for (int c = 0; c < MAX_COLUMNS_PER_WARP; ++c) {
        if (c < columns) {
            const float4 decayed = multiply_rounded(tile.states[c], vectors.decay);
            const float correction =
                correction_of(vectors.beta, tile.values[c], column_dot(decayed, vectors.key));
            const float4 updated =
                contract
                    ? update_contracted(tile.states[c], vectors.decay, vectors.key, correction)
                    : update_rounded(decayed, vectors.key, correction);
            slots[c * SLOT_STRIDE] = updated;
            const float result = column_dot(updated, vectors.query);
            if (lane == 0) {
                outputs[c * TILED_WARPS] = result;
            }
        }
    }
}

// value_tile 0: grid (heads), 128 threads. Else grid (heads, 128 / value_tile), 256 threads, and
// all columns of a warp are requested before the first is used: a block has its whole tile in
// flight. `contract` needs a tile.
extern "C" __global__ void __launch_bounds__(TILED_WARPS * 32)
kda_decode_step(float* state, const float* query, const float* key, const float* value,
                const float* log_decay, const float* beta, float* __restrict__ output,
                int value_tile, int contract)
{
    const int head = blockIdx.x;
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    wait_for_predecessors();
    if (value_tile == 0) {
        release_dependents();
        const HeadVectors vectors = load_head(query, key, log_decay, beta, head, lane);
        step_of_head(state, value, output, vectors, head, warp, lane);
        return;
    }
    const int first = head * HEAD_DIM + blockIdx.y * value_tile + warp;
    const int columns = value_tile / TILED_WARPS;
    float4* slots = reinterpret_cast<float4*>(state) + first * VECTORS_PER_COLUMN + lane;
    const TileColumns tile = load_columns(slots, value + first, columns);
    release_dependents();  // also keeps what follows behind the requests of the state
    const HeadVectors vectors = load_head(query, key, log_decay, beta, head, lane);
    step_of_columns(slots, output + first, tile, vectors, columns, contract != 0, lane);
}
