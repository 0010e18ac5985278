// Multi-head latent attention of one token over a long context, in the absorbed form: all heads
// share one cache row of 576 halves per token, of which the first 512 are the value as well.
//
//   mla_append         writes the new token's row into the cache
//   mla_decode_split   grid (context slices, groups of 16 heads): partial softmax of one slice
//   mla_decode_combine grid (heads, bands of the latent width): joins the slices
//
// 12 heads over 576 + 512 elements per token are more arithmetic than the CUDA cores do in the time
// the cache takes to arrive, so both products run on the tensor cores with the heads padded to the
// 16 rows of mma.m16n8k16. What bounds the kernel is then the cache, read once. One block has up to
// two tiles of 32 tokens on their way (37 KB each); a second block on the SM is what covers the
// first one's softmax, and that is all MLA_DERIVED_FLOOR changes: the tokens per slice, thereby the
// grid, thereby the order in which the partial results are added.

#include <cuda_fp16.h>

#include "programmatic.cuh"

constexpr int LATENT = 512;
constexpr int ROPE = 64;
constexpr int ROW = LATENT + ROPE;          // halves per token in the cache
constexpr int NOPE = 128;                   // query elements before the rope part, per head
constexpr int QUERY_ROW = NOPE + ROPE;
constexpr int HEADS = 16;                   // heads of a block, padded to the rows of one mma
constexpr int TILE = 32;                    // tokens, one a lane in the softmax
constexpr int WARPS = 8;
constexpr int THREADS = WARPS * 32;
constexpr float LOWEST = -3.402823466e38f;  // the maximum of no scores; its weight is 0

// Strides in shared memory. Those of tiles and weights are chosen so that eight rows of 16 bytes,
// which is what ldmatrix reads at a time, start in eight different groups of banks.
constexpr int TILE_STRIDE = ROW + 8;        // halves
constexpr int SCORE_STRIDE = TILE + 8;      // floats
constexpr int WEIGHT_STRIDE = TILE + 8;     // halves

// Query times key: four groups of warps share the 576 elements, two share the 32 tokens. So a
// warp's part of the query is 9 fragments, which stay in registers for the whole slice.
constexpr int ELEMENT_GROUPS = 4;
constexpr int STEPS_PER_GROUP = ROW / 16 / ELEMENT_GROUPS;
constexpr int TOKENS_PER_GROUP = TILE / (WARPS / ELEMENT_GROUPS);

// Weights times value: every warp owns 64 of the 512 latent elements.
constexpr int LATENT_PER_WARP = LATENT / WARPS;
constexpr int LATENT_FRAGMENTS = LATENT_PER_WARP / 8;

struct SharedMemory {
    __half tiles[2][TILE * TILE_STRIDE];
    float scores[ELEMENT_GROUPS][HEADS * SCORE_STRIDE];  // partial sums over the element groups
    __half weights[HEADS * WEIGHT_STRIDE];               // softmax weights of the tile
    float rescale[HEADS];                                // what the older sums are multiplied with
};

__device__ __forceinline__ unsigned int shared_address(const void* pointer)
{
    return (unsigned int)__cvta_generic_to_shared(pointer);
}

// Copies 16 bytes to shared memory in the background; writes zeros where the source is not valid.
__device__ __forceinline__ void copy_16_bytes(void* destination, const void* source, bool is_valid)
{
    const int bytes = is_valid ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :: "r"(shared_address(destination)), "l"(source), "r"(bytes) : "memory");
}

__device__ __forceinline__ void close_copy_group()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most one group of this thread's copies, the youngest, is still on its way.
__device__ __forceinline__ void wait_for_all_but_one_copy_group()
{
    asm volatile("cp.async.wait_group 1;" ::: "memory");
}

// Four 8x8 matrices of halves; lane l gives the address of row l % 8 of matrix l / 8.
__device__ __forceinline__ void load_matrices(unsigned int (&fragment)[4], const __half* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
                 : "r"(shared_address(row)) : "memory");
}

__device__ __forceinline__ void load_matrices_transposed(unsigned int (&fragment)[4],
                                                         const __half* row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
                 : "r"(shared_address(row)) : "memory");
}

// c (16 x 8 floats) += a (16 x 16 halves) times b (16 x 8 halves).
__device__ __forceinline__ void multiply_add(float (&c)[4], const unsigned int (&a)[4],
                                             unsigned int b0, unsigned int b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Two neighbouring query elements of a head as halves. The query comes in two pieces: the absorbed
// latent part, and the rope part, which lies behind the 128 others in the projection's output.
__device__ __forceinline__ unsigned int query_pair(const float* query_latent, const float* query,
                                                   int head, int heads, int element)
{
    if (head >= heads) {
        return 0;
    }
    const float* source = element < LATENT
                              ? query_latent + head * LATENT + element
                              : query + head * QUERY_ROW + NOPE + (element - LATENT);
    const __half2 pair = __floats2half2_rn(source[0], source[1]);
    return *reinterpret_cast<const unsigned int*>(&pair);
}

__device__ __forceinline__ void load_query(unsigned int (&fragments)[STEPS_PER_GROUP][4],
                                           const float* query_latent, const float* query,
                                           int first_head, int heads, int element_group, int lane)
{
    const int head = first_head + lane / 4;
#pragma unroll
    for (int step = 0; step < STEPS_PER_GROUP; ++step) {
        const int element = (element_group * STEPS_PER_GROUP + step) * 16 + lane % 4 * 2;
#pragma unroll
        for (int i = 0; i < 4; ++i) {  // rows +8 in the odd registers, columns +8 in the last two
            fragments[step][i] = query_pair(query_latent, query, head + i % 2 * 8, heads,
                                            element + i / 2 * 8);
        }
    }
}

__device__ __forceinline__ void request_tile(__half* tile, const __half* cache, int first_token,
                                             int end_token)
{
    constexpr int PIECES_PER_ROW = ROW / 8;
    for (int piece = threadIdx.x; piece < TILE * PIECES_PER_ROW; piece += THREADS) {
        const int row = piece / PIECES_PER_ROW;
        const int column = piece % PIECES_PER_ROW * 8;
        const bool is_valid = first_token + row < end_token;
        const long long token = is_valid ? first_token + row : 0;
        copy_16_bytes(tile + row * TILE_STRIDE + column, cache + token * ROW + column, is_valid);
    }
}

// This warp's share of the tile's scores: 16 heads x 16 tokens over a quarter of the elements.
__device__ __forceinline__ void score_tile(SharedMemory& shared, const __half* tile,
                                           const unsigned int (&query)[STEPS_PER_GROUP][4],
                                           int warp, int lane)
{
    const int element_group = warp % ELEMENT_GROUPS;
    const int first_token = warp / ELEMENT_GROUPS * TOKENS_PER_GROUP;
    float sums[2][4] = {};
    const __half* row = tile + (first_token + lane / 16 * 8 + lane % 8) * TILE_STRIDE
                        + element_group * STEPS_PER_GROUP * 16 + lane / 8 % 2 * 8;
#pragma unroll
    for (int step = 0; step < STEPS_PER_GROUP; ++step) {
        unsigned int key[4];
        load_matrices(key, row + step * 16);
        multiply_add(sums[0], query[step], key[0], key[1]);
        multiply_add(sums[1], query[step], key[2], key[3]);
    }
    float* scores = shared.scores[element_group] + first_token + lane % 4 * 2;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
        for (int lower = 0; lower < 2; ++lower) {
            float* pair = scores + (lane / 4 + lower * 8) * SCORE_STRIDE + half * 8;
            *reinterpret_cast<float2*>(pair) =
                make_float2(sums[half][lower * 2], sums[half][lower * 2 + 1]);
        }
    }
}

__device__ __forceinline__ float warp_max(float value)
{
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, distance));
    }
    return value;
}

__device__ __forceinline__ float warp_sum(float value)
{
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    }
    return value;
}

// The softmax of one head so far: the largest score (as a power of 2) and the sum of the weights.
struct RunningSoftmax {
    float maximum;
    float sum;
};

// Turns the scores of one head's tile into weights, one token a lane. The sum is taken of the
// weights as rounded to halves, since those are what the values are multiplied with.
__device__ __forceinline__ void weigh_tile(SharedMemory& shared, RunningSoftmax& running, int row,
                                           int valid_tokens, float scale_log2, int lane)
{
    float score = 0.0f;
#pragma unroll
    for (int group = 0; group < ELEMENT_GROUPS; ++group) {
        score += shared.scores[group][row * SCORE_STRIDE + lane];
    }
    score = lane < valid_tokens ? score * scale_log2 : LOWEST;
    const float maximum = fmaxf(running.maximum, warp_max(score));
    const float rescale = exp2f(running.maximum - maximum);
    const __half weight = __float2half_rn(exp2f(score - maximum));
    running.sum = running.sum * rescale + warp_sum(__half2float(weight));
    running.maximum = maximum;
    shared.weights[row * WEIGHT_STRIDE + lane] = weight;
    if (lane == 0) {
        shared.rescale[row] = rescale;
    }
}

// Adds the tile's weighted values to this warp's 64 latent elements of all heads.
__device__ __forceinline__ void accumulate_tile(float (&sums)[LATENT_FRAGMENTS][4],
                                                const SharedMemory& shared, const __half* tile,
                                                int warp, int lane)
{
    const float rescale_upper = shared.rescale[lane / 4];
    const float rescale_lower = shared.rescale[lane / 4 + 8];
#pragma unroll
    for (int fragment = 0; fragment < LATENT_FRAGMENTS; ++fragment) {
        sums[fragment][0] *= rescale_upper;
        sums[fragment][1] *= rescale_upper;
        sums[fragment][2] *= rescale_lower;
        sums[fragment][3] *= rescale_lower;
    }
    const int matrix_row = lane / 8 % 2 * 8 + lane % 8;
    const int matrix_column = lane / 16 * 8;
#pragma unroll
    for (int step = 0; step < TILE / 16; ++step) {
        unsigned int weights[4];
        load_matrices(weights,
                      shared.weights + matrix_row * WEIGHT_STRIDE + step * 16 + matrix_column);
        const __half* values = tile + (step * 16 + matrix_row) * TILE_STRIDE
                               + warp * LATENT_PER_WARP + matrix_column;
#pragma unroll
        for (int pair = 0; pair < LATENT_FRAGMENTS / 2; ++pair) {
            unsigned int value[4];
            load_matrices_transposed(value, values + pair * 16);
            multiply_add(sums[2 * pair], weights, value[0], value[1]);
            multiply_add(sums[2 * pair + 1], weights, value[2], value[3]);
        }
    }
}

// partial_sums: [slice][head][512], unnormalised; partial_softmax: [slice][head] (maximum, sum).
__device__ __forceinline__ void store_sums(float* partial_sums,
                                           const float (&sums)[LATENT_FRAGMENTS][4], int slice,
                                           int first_head, int heads, int warp, int lane)
{
#pragma unroll
    for (int lower = 0; lower < 2; ++lower) {
        const int head = first_head + lane / 4 + lower * 8;
        if (head < heads) {
            float* row = partial_sums + ((long long)slice * heads + head) * LATENT
                         + warp * LATENT_PER_WARP + lane % 4 * 2;
#pragma unroll
            for (int fragment = 0; fragment < LATENT_FRAGMENTS; ++fragment) {
                *reinterpret_cast<float2*>(row + fragment * 8) =
                    make_float2(sums[fragment][lower * 2], sums[fragment][lower * 2 + 1]);
            }
        }
    }
}

// Grid: (slices, groups of 16 heads). Dynamic shared memory: sizeof(SharedMemory) = 86,336 bytes,
// so that two blocks share an SM. Every slice must hold at least one token.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
mla_decode_split(const float* query_latent, const float* query, const __half* cache,
                 float* __restrict__ partial_sums, float2* __restrict__ partial_softmax,
                 int heads, int context, int slice_tokens, float scale)
{
    extern __shared__ float4 shared_storage[];
    SharedMemory& shared = *reinterpret_cast<SharedMemory*>(shared_storage);
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    const int slice = blockIdx.x;
    const int first_head = blockIdx.y * HEADS;
    const int first_token = slice * slice_tokens;
    const int end_token = min(first_token + slice_tokens, context);
    const int tiles = (end_token - first_token + TILE - 1) / TILE;
    const float scale_log2 = scale * 1.4426950408889634f;  // 2^x is the exponential of the hardware
    wait_for_predecessors();

    // A group is closed even when it is empty, so that "all but one" always means this tile.
    request_tile(shared.tiles[0], cache, first_token, end_token);
    close_copy_group();
    if (tiles > 1) {
        request_tile(shared.tiles[1], cache, first_token + TILE, end_token);
    }
    close_copy_group();

    unsigned int query_fragments[STEPS_PER_GROUP][4];
    load_query(query_fragments, query_latent, query, first_head, heads, warp % ELEMENT_GROUPS,
               lane);
    float sums[LATENT_FRAGMENTS][4] = {};
    RunningSoftmax running[2] = {{LOWEST, 0.0f}, {LOWEST, 0.0f}};  // rows 2 warp, 2 warp + 1

    for (int index = 0; index < tiles; ++index) {
        const int tile_token = first_token + index * TILE;
        __half* tile = shared.tiles[index % 2];
        wait_for_all_but_one_copy_group();
        __syncthreads();
        score_tile(shared, tile, query_fragments, warp, lane);
        __syncthreads();
        weigh_tile(shared, running[0], 2 * warp, end_token - tile_token, scale_log2, lane);
        weigh_tile(shared, running[1], 2 * warp + 1, end_token - tile_token, scale_log2, lane);
        __syncthreads();
        accumulate_tile(sums, shared, tile, warp, lane);
        __syncthreads();  // everyone is done with this tile's memory
        if (index + 2 < tiles) {
            request_tile(tile, cache, tile_token + 2 * TILE, end_token);
        }
        close_copy_group();
    }

    release_dependents();
    store_sums(partial_sums, sums, slice, first_head, heads, warp, lane);
    if (lane < 2) {
        const int head = first_head + 2 * warp + lane;
        if (head < heads) {
            const RunningSoftmax& mine = lane == 0 ? running[0] : running[1];
            partial_softmax[(long long)slice * heads + head] = make_float2(mine.maximum, mine.sum);
        }
    }
}

constexpr int BAND = 64;  // latent elements a combining block owns: two a lane

// Grid: (heads, 512 / 64). Dynamic shared memory: `slices` floats. The warps take the slices in
// turn, so that a block has many rows on their way, and add their eight sums at the end.
extern "C" __global__ void __launch_bounds__(THREADS)
mla_decode_combine(const float* partial_sums, const float2* partial_softmax,
                   float* __restrict__ output, int heads, int slices)
{
    extern __shared__ float slice_weights[];
    __shared__ float warp_maxima[WARPS];
    __shared__ float warp_totals[WARPS];
    __shared__ float2 warp_sums[WARPS][BAND / 2];
    const int head = blockIdx.x;
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    wait_for_predecessors();
    release_dependents();

    float maximum = LOWEST;
    for (int slice = threadIdx.x; slice < slices; slice += THREADS) {
        maximum = fmaxf(maximum, partial_softmax[(long long)slice * heads + head].x);
    }
    maximum = warp_max(maximum);
    if (lane == 0) {
        warp_maxima[warp] = maximum;
    }
    __syncthreads();
    for (int other = 0; other < WARPS; ++other) {
        maximum = fmaxf(maximum, warp_maxima[other]);
    }

    float total = 0.0f;
    for (int slice = threadIdx.x; slice < slices; slice += THREADS) {
        const float2 softmax = partial_softmax[(long long)slice * heads + head];
        const float weight = exp2f(softmax.x - maximum);
        slice_weights[slice] = weight;
        total += weight * softmax.y;
    }
    total = warp_sum(total);
    if (lane == 0) {
        warp_totals[warp] = total;
    }
    __syncthreads();

    const float2* rows = reinterpret_cast<const float2*>(partial_sums)
                         + (head * LATENT + blockIdx.y * BAND) / 2 + lane;
    float2 sum = make_float2(0.0f, 0.0f);
#pragma unroll 8
    for (int slice = warp; slice < slices; slice += WARPS) {
        const float2 row = rows[(long long)slice * heads * (LATENT / 2)];
        sum.x += slice_weights[slice] * row.x;
        sum.y += slice_weights[slice] * row.y;
    }
    warp_sums[warp][lane] = sum;
    __syncthreads();
    if (warp == 0) {
        float2 joined = make_float2(0.0f, 0.0f);
        float weight_of_all = 0.0f;
        for (int other = 0; other < WARPS; ++other) {
            joined.x += warp_sums[other][lane].x;
            joined.y += warp_sums[other][lane].y;
            weight_of_all += warp_totals[other];
        }
        reinterpret_cast<float2*>(output)[(head * LATENT + blockIdx.y * BAND) / 2 + lane] =
            make_float2(joined.x / weight_of_all, joined.y / weight_of_all);
    }
}

// Grid: (cdiv(576, 256)). The row is the normalised latent part followed by the rope part, which
// the projection left behind its latent part.
extern "C" __global__ void __launch_bounds__(256)
mla_append(const float* latent, const float* projected, __half* __restrict__ cache,
           const int* position)
{
    const int element = blockIdx.x * blockDim.x + threadIdx.x;
    wait_for_predecessors();
    release_dependents();
    if (element < ROW) {
        const float value = element < LATENT ? latent[element] : projected[element];
        cache[(long long)position[0] * ROW + element] = __float2half_rn(value);
    }
}
