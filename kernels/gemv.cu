// Products of a bf16 matrix with one f32 vector, which is where a token's bytes are: projections,
// router scores, the experts and the language model's head. Sums are f32.
//
// As first written, a warp takes one row and a lane one weight of 2 bytes at a time. That is right
// and coalesced, but an SM then has a few kilobytes on their way where latency times bandwidth asks
// for 40 to 60, however many blocks there are. The `_wide` entries load 16 bytes a lane. All but
// expert_down_wide
//
//   - have up to four steps of two rows on their way: 128 bytes in flight a thread;
//   - share the columns of a row among 1, 2, 4 or 8 warps of the block (`warps_per_row`), so that
//     matrices of few rows fill the GPU as well, and each value of x serves two rows;
//   - fetch their first weights before the predecessor has finished, since nobody writes weights.
//     An expert's weights wait for the router, which says whose they are.
//
// That changes the order in which a row is summed: the wide entries reassociate.

#include <cuda_bf16.h>

#include "programmatic.cuh"

constexpr int WARPS = 8;
constexpr int THREADS = WARPS * 32;
constexpr int WEIGHTS_PER_VECTOR = 8;  // 16 bytes
constexpr int DEPTH = 4;               // vectors of a row that a lane has on their way
constexpr int DOWN_ROWS = 28;          // output rows of a block: 7168 are 256 blocks, at once there
constexpr int DOWN_ROWS_AHEAD = 14;    // vectors of them that a lane may have on their way
constexpr int MAX_CHOSEN = 32;         // experts

// A contribution lighter than this is dropped by EXPERT_SKIP, and only behind this position: the
// router's weights flatten with the context, and in short ones dropping them was found to harm.
constexpr float SKIPPED_WEIGHT = 0.08f;
constexpr int SKIPPED_AFTER_POSITION = 16384;

__device__ __forceinline__ float warp_sum(float value)
{
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    }
    return value;
}

__device__ __forceinline__ float silu(float value)
{
    return value / (1.0f + expf(-value));
}

// ---- one warp a row, one weight a lane ----------------------------------------------------------

__device__ __forceinline__ float dot_row(const __nv_bfloat16* row, const float* x, int columns,
                                         int lane)
{
    float sum = 0.0f;
    for (int column = lane; column < columns; column += 32) {
        sum += __bfloat162float(row[column]) * x[column];
    }
    return warp_sum(sum);
}

// Rows [8 blockIdx.x, 8 blockIdx.x + 8) of matrix blockIdx.y. Matrices follow each other in memory;
// their inputs and outputs lie `input_stride` and `output_stride` elements apart.
__device__ __forceinline__ void project(const __nv_bfloat16* weights, const float* input,
                                        float* output, int rows, int columns, int input_stride,
                                        int output_stride)
{
    const int row = blockIdx.x * WARPS + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    wait_for_predecessors();
    if (row < rows) {
        const long long matrix_row = (long long)blockIdx.y * rows + row;
        const float sum = dot_row(weights + matrix_row * columns,
                                  input + blockIdx.y * input_stride, columns, lane);
        release_dependents();
        if (lane == 0) {
            output[blockIdx.y * output_stride + row] = sum;
        }
    }
}

// ---- two rows a warp, 16 bytes a lane -----------------------------------------------------------

// Which rows and which of their columns a warp works on.
struct WarpShare {
    int pair;      // of rows, within the block
    int section;   // of the columns
    int sections;
    int lane;
};

__device__ __forceinline__ WarpShare share_of_warp(int warps_per_row)
{
    const int warp = threadIdx.x / 32;
    return {warp / warps_per_row, warp % warps_per_row, warps_per_row, (int)threadIdx.x % 32};
}

// Weights are read once: they are the first to leave the caches.
__device__ __forceinline__ uint4 load_weights(const uint4* row, int vector, int vectors)
{
    return vector < vectors ? __ldcs(row + vector) : make_uint4(0, 0, 0, 0);
}

// sum + a · x over one vector. A bf16 is the upper half of the float of the same value.
__device__ __forceinline__ float accumulate(uint4 weights, float4 x_low, float4 x_high, float sum)
{
    sum = __fmaf_rn(__uint_as_float(weights.x << 16), x_low.x, sum);
    sum = __fmaf_rn(__uint_as_float(weights.x & 0xffff0000u), x_low.y, sum);
    sum = __fmaf_rn(__uint_as_float(weights.y << 16), x_low.z, sum);
    sum = __fmaf_rn(__uint_as_float(weights.y & 0xffff0000u), x_low.w, sum);
    sum = __fmaf_rn(__uint_as_float(weights.z << 16), x_high.x, sum);
    sum = __fmaf_rn(__uint_as_float(weights.z & 0xffff0000u), x_high.y, sum);
    sum = __fmaf_rn(__uint_as_float(weights.w << 16), x_high.z, sum);
    sum = __fmaf_rn(__uint_as_float(weights.w & 0xffff0000u), x_high.w, sum);
    return sum;
}

// Both rows' products with x over this warp's section, summed over the warp. Waits for the
// predecessors itself, between the first weights and the first x. A consumed vector's place is
// filled at once with the one four steps ahead, so the loads never run dry.
__device__ __forceinline__ float2 dot_row_pair(const __nv_bfloat16* row_a,
                                               const __nv_bfloat16* row_b, const float* x,
                                               int columns, WarpShare share)
{
    const uint4* vectors_a = reinterpret_cast<const uint4*>(row_a);
    const uint4* vectors_b = reinterpret_cast<const uint4*>(row_b);
    const float4* x_vectors = reinterpret_cast<const float4*>(x);
    const int vectors = columns / WEIGHTS_PER_VECTOR;
    const int step = share.sections * 32;
    const int first = share.section * 32 + share.lane;
    uint4 a[DEPTH];
    uint4 b[DEPTH];
#pragma unroll
    for (int i = 0; i < DEPTH; ++i) {
        a[i] = load_weights(vectors_a, first + i * step, vectors);
        b[i] = load_weights(vectors_b, first + i * step, vectors);
    }
    wait_for_predecessors();
    float2 sum = make_float2(0.0f, 0.0f);
    for (int base = first; base < vectors; base += DEPTH * step) {
#pragma unroll
        for (int i = 0; i < DEPTH; ++i) {
            const int vector = base + i * step;
            if (vector < vectors) {
                const float4 x_low = x_vectors[2 * vector];
                const float4 x_high = x_vectors[2 * vector + 1];
                sum.x = accumulate(a[i], x_low, x_high, sum.x);
                sum.y = accumulate(b[i], x_low, x_high, sum.y);
            }
            a[i] = load_weights(vectors_a, vector + DEPTH * step, vectors);
            b[i] = load_weights(vectors_b, vector + DEPTH * step, vectors);
        }
    }
    return make_float2(warp_sum(sum.x), warp_sum(sum.y));
}

// Adds the sections of every pair of rows, in order. Valid in section 0 of each pair.
__device__ __forceinline__ float2 join_sections(float2 sum, WarpShare share)
{
    __shared__ float2 section_sums[WARPS];
    if (share.lane == 0) {
        section_sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    const int first_warp = share.pair * share.sections;
    float2 joined = section_sums[first_warp];
    for (int section = 1; section < share.sections; ++section) {
        joined.x += section_sums[first_warp + section].x;
        joined.y += section_sums[first_warp + section].y;
    }
    return joined;
}

// Rows of 16 / warps_per_row a block; columns must be a multiple of 8, matrices 16-byte aligned.
__device__ __forceinline__ void project_wide(const __nv_bfloat16* weights, const float* input,
                                             float* output, int rows, int columns,
                                             int input_stride, int output_stride,
                                             int warps_per_row)
{
    const WarpShare share = share_of_warp(warps_per_row);
    const int row = (blockIdx.x * (WARPS / warps_per_row) + share.pair) * 2;
    // Rows past the end repeat the last one: the warp must still arrive at the barrier.
    const __nv_bfloat16* matrix = weights + (long long)blockIdx.y * rows * columns;
    const float2 section_sum =
        dot_row_pair(matrix + (long long)min(row, rows - 1) * columns,
                     matrix + (long long)min(row + 1, rows - 1) * columns,
                     input + blockIdx.y * input_stride, columns, share);
    release_dependents();
    const float2 sum = join_sections(section_sum, share);
    if (share.section == 0 && share.lane == 0) {
        float* destination = output + blockIdx.y * output_stride + row;
        if (row < rows) {
            destination[0] = sum.x;
        }
        if (row + 1 < rows) {
            destination[1] = sum.y;
        }
    }
}

// ---- entries: the same two bodies under the names that a profile should show ---------------------

// Grid: (cdiv(rows, 8), matrices).
extern "C" __global__ void __launch_bounds__(THREADS)
projection(const __nv_bfloat16* __restrict__ weights, const float* input,
           float* __restrict__ output, int rows, int columns, int input_stride, int output_stride)
{
    project(weights, input, output, rows, columns, input_stride, output_stride);
}

// Grid: (cdiv(rows, 16 / warps_per_row), matrices).
extern "C" __global__ void __launch_bounds__(THREADS)
projection_wide(const __nv_bfloat16* __restrict__ weights, const float* input,
                float* __restrict__ output, int rows, int columns, int input_stride,
                int output_stride, int warps_per_row)
{
    project_wide(weights, input, output, rows, columns, input_stride, output_stride,
                 warps_per_row);
}

extern "C" __global__ void __launch_bounds__(THREADS)
router_scores(const __nv_bfloat16* __restrict__ weights, const float* input,
              float* __restrict__ scores, int experts, int columns)
{
    project(weights, input, scores, experts, columns, 0, 0);
}

extern "C" __global__ void __launch_bounds__(THREADS)
router_scores_wide(const __nv_bfloat16* __restrict__ weights, const float* input,
                   float* __restrict__ scores, int experts, int columns, int warps_per_row)
{
    project_wide(weights, input, scores, experts, columns, 0, 0, warps_per_row);
}

extern "C" __global__ void __launch_bounds__(THREADS)
lm_head(const __nv_bfloat16* __restrict__ weights, const float* input, float* __restrict__ logits,
        int vocabulary, int columns)
{
    project(weights, input, logits, vocabulary, columns, 0, 0);
}

extern "C" __global__ void __launch_bounds__(THREADS)
lm_head_wide(const __nv_bfloat16* __restrict__ weights, const float* input,
             float* __restrict__ logits, int vocabulary, int columns, int warps_per_row)
{
    project_wide(weights, input, logits, vocabulary, columns, 0, 0, warps_per_row);
}

// ---- experts: the matrices are chosen on the device ---------------------------------------------

// The weight a routed expert's output counts with; 0 for one that is skipped.
__device__ __forceinline__ float contribution(float router_weight, int position, int skip)
{
    const bool is_skipped =
        skip && position > SKIPPED_AFTER_POSITION && router_weight < SKIPPED_WEIGHT;
    return is_skipped ? 0.0f : router_weight;
}

// hidden_units[slot][row] = silu(gate · x) * (up · x) for slot blockIdx.y of the chosen experts.
// An expert's 2 * width rows are its gate rows followed by its up rows. Grid: (cdiv(width, 8),
// chosen experts).
extern "C" __global__ void __launch_bounds__(THREADS)
expert_gate_up(const __nv_bfloat16* __restrict__ weights, const float* input,
               const int* expert_ids, const float* router_weights, const int* position,
               float* __restrict__ hidden_units, int width, int columns, int skip)
{
    const int row = blockIdx.x * WARPS + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    const int slot = blockIdx.y;
    wait_for_predecessors();
    if (row >= width || contribution(router_weights[slot], position[0], skip) == 0.0f) {
        return;
    }
    const __nv_bfloat16* gate =
        weights + ((long long)expert_ids[slot] * 2 * width + row) * columns;
    const __nv_bfloat16* up = gate + (long long)width * columns;
    float gate_sum = 0.0f;
    float up_sum = 0.0f;
    for (int column = lane; column < columns; column += 32) {
        gate_sum += __bfloat162float(gate[column]) * input[column];
        up_sum += __bfloat162float(up[column]) * input[column];
    }
    release_dependents();
    gate_sum = warp_sum(gate_sum);
    up_sum = warp_sum(up_sum);
    if (lane == 0) {
        hidden_units[slot * width + row] = silu(gate_sum) * up_sum;
    }
}

// A pair of rows is a gate row and its up row. Grid: (cdiv(width, 8 / warps_per_row), chosen
// experts).
extern "C" __global__ void __launch_bounds__(THREADS)
expert_gate_up_wide(const __nv_bfloat16* __restrict__ weights, const float* input,
                    const int* expert_ids, const float* router_weights, const int* position,
                    float* __restrict__ hidden_units, int width, int columns, int skip,
                    int warps_per_row)
{
    const WarpShare share = share_of_warp(warps_per_row);
    const int row = blockIdx.x * (WARPS / warps_per_row) + share.pair;
    const int slot = blockIdx.y;
    wait_for_predecessors();
    if (contribution(router_weights[slot], position[0], skip) == 0.0f) {
        return;  // the whole block, so nobody waits at the barrier below
    }
    const __nv_bfloat16* gate =
        weights + ((long long)expert_ids[slot] * 2 * width + min(row, width - 1)) * columns;
    const float2 section_sum =
        dot_row_pair(gate, gate + (long long)width * columns, input, columns, share);
    release_dependents();
    const float2 sum = join_sections(section_sum, share);
    if (share.section == 0 && share.lane == 0 && row < width) {
        hidden_units[slot * width + row] = silu(sum.x) * sum.y;
    }
}

// output[row] = sum over the chosen experts of router weight * (down row · hidden units). No
// atomics: a row's experts are added in order by the warp that owns it. Grid: (cdiv(rows, 8)).
extern "C" __global__ void __launch_bounds__(THREADS)
expert_down(const __nv_bfloat16* __restrict__ weights, const float* hidden_units,
            const int* expert_ids, const float* router_weights, const int* position,
            float* __restrict__ output, int rows, int width, int chosen, int skip)
{
    const int row = blockIdx.x * WARPS + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    wait_for_predecessors();
    if (row >= rows) {
        return;
    }
    float sum = 0.0f;
    for (int slot = 0; slot < chosen; ++slot) {
        const float weight = contribution(router_weights[slot], position[0], skip);
        if (weight != 0.0f) {
            const __nv_bfloat16* down =
                weights + ((long long)expert_ids[slot] * rows + row) * width;
            sum += weight * dot_row(down, hidden_units + slot * width, width, lane);
        }
    }
    release_dependents();
    if (lane == 0) {
        output[row] = sum;
    }
}

// Lane l gets the sum of sums[l] over the warp: 31 shuffles for 32 rows, each summed as warp_sum
// would. The inner bound is a constant so that both loops unroll and the array stays in registers:
// in local memory it cost this kernel a third of its time.
__device__ __forceinline__ float sum_of_own_row(float (&sums)[32], int lane)
{
#pragma unroll
    for (int half = 16; half > 0; half /= 2) {
        const bool is_upper = (lane & half) != 0;
#pragma unroll
        for (int row = 0; row < 16; ++row) {
            if (row < half) {
                const float lower = sums[row];
                const float upper = sums[row + half];
                const float received =
                    __shfl_xor_sync(0xffffffffu, is_upper ? lower : upper, half);
                sums[row] = (is_upper ? upper : lower) + received;
            }
        }
    }
    return sums[0];
}

// Adds to sums[r] this lane's share of x times row `first + r` of an expert's matrix. The lane keeps
// its part of x in registers and sends for half of the rows ahead.
__device__ __forceinline__ void accumulate_down_rows(float (&sums)[32], const __nv_bfloat16* matrix,
                                                     const float* x, int first, int rows, int width,
                                                     int lane)
{
    const int vectors = width / WEIGHTS_PER_VECTOR;
    const uint4* first_row = reinterpret_cast<const uint4*>(matrix) + (long long)first * vectors;
    const float4* x_vectors = reinterpret_cast<const float4*>(x);
    const int last = rows - 1 - first;  // rows past the end repeat the last one
    for (int vector = lane; vector < vectors; vector += 32) {
        uint4 ahead[DOWN_ROWS_AHEAD];
#pragma unroll
        for (int row = 0; row < DOWN_ROWS_AHEAD; ++row) {
            ahead[row] = __ldcs(first_row + min(row, last) * vectors + vector);
        }
        const float4 x_low = x_vectors[2 * vector];
        const float4 x_high = x_vectors[2 * vector + 1];
#pragma unroll
        for (int row = 0; row < DOWN_ROWS; ++row) {
            uint4& weights = ahead[row % DOWN_ROWS_AHEAD];
            sums[row] = accumulate(weights, x_low, x_high, sums[row]);
            if (row + DOWN_ROWS_AHEAD < DOWN_ROWS) {
                weights = __ldcs(first_row + min(row + DOWN_ROWS_AHEAD, last) * vectors + vector);
            }
        }
    }
}

// A warp takes an expert and a block 28 output rows: the weights are one stream a warp, and a block
// looks up its experts once. The experts' sums are added in order. `width` must be a multiple of 8.
// Grid: (cdiv(rows, 28)).
extern "C" __global__ void __launch_bounds__(THREADS, 2)
expert_down_wide(const __nv_bfloat16* __restrict__ weights, const float* hidden_units,
                 const int* expert_ids, const float* router_weights, const int* position,
                 float* __restrict__ output, int rows, int width, int chosen, int skip)
{
    __shared__ float expert_sums[MAX_CHOSEN][32];
    const int first = blockIdx.x * DOWN_ROWS;
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    wait_for_predecessors();
    for (int slot = warp; slot < chosen; slot += WARPS) {
        const float weight = contribution(router_weights[slot], position[0], skip);
        float sums[32] = {};
        if (weight != 0.0f) {
            accumulate_down_rows(sums, weights + (long long)expert_ids[slot] * rows * width,
                                 hidden_units + slot * width, first, rows, width, lane);
        }
        expert_sums[slot][lane] = weight * sum_of_own_row(sums, lane);
    }
    release_dependents();
    __syncthreads();
    if (warp == 0 && lane < DOWN_ROWS && first + lane < rows) {
        float sum = 0.0f;
        for (int slot = 0; slot < chosen; ++slot) {
            sum += expert_sums[slot][lane];
        }
        output[first + lane] = sum;
    }
}
