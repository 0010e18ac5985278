// Root mean square norm of one row: y[d] = x[d] / sqrt(mean(x²) + epsilon) * weight[d].
//
// One block is the right structure: the mean must be complete before any element is scaled, and a
// block completes it with a barrier where a grid would need a second launch. What may change is how
// much memory that one block has outstanding.
//
//   rms_norm       128 threads, scalar loads: most of its time is the second loop, in which a
//                  thread has one element and its weight on their way, 1 KB a block.
//   rms_norm_wide  up to 1024 threads, 16-byte loads: all of row and weights, 56 KB at width 7168.
//                  Rows wider than 8192 take the scalar path.
//
// Both give the same bytes. The sum of squares belongs to the same 128 threads, in the same order;
// only who fetches the row and who applies the scale changes.

#include "programmatic.cuh"

constexpr int REDUCTION_THREADS = 128;
constexpr int REDUCTION_WARPS = REDUCTION_THREADS / 32;
constexpr int VECTORS_PER_THREAD = 2;  // what a thread of the wide kernel keeps in registers

// The sum of the partial sums of the first 128 threads, known to all threads of the block. The
// order of its additions is the kernel's numerics, so it is one function that both entries call.
__device__ __forceinline__ float sum_over_reduction_threads(float partial)
{
    __shared__ float warp_sums[REDUCTION_WARPS];
    if (threadIdx.x < REDUCTION_THREADS) {
        for (int distance = 16; distance > 0; distance /= 2) {
            partial = __fadd_rn(partial, __shfl_xor_sync(0xffffffffu, partial, distance));
        }
        if (threadIdx.x % 32 == 0) {
            warp_sums[threadIdx.x / 32] = partial;
        }
    }
    __syncthreads();
    float sum = warp_sums[0];
    for (int warp = 1; warp < REDUCTION_WARPS; ++warp) {
        sum = __fadd_rn(sum, warp_sums[warp]);
    }
    return sum;
}

// The partial sum of squares of one of the 128 reduction threads; 0 for every other thread. The row
// may lie in global or in shared memory: the same elements in the same order either way.
__device__ __forceinline__ float partial_sum_of_squares(const float* row, int width)
{
    float partial = 0.0f;
    if (threadIdx.x < REDUCTION_THREADS) {
        for (int d = threadIdx.x; d < width; d += REDUCTION_THREADS) {
            partial = __fmaf_rn(row[d], row[d], partial);
        }
    }
    return partial;
}

__device__ __forceinline__ float inverse_root_mean_square(float sum, int width, float epsilon)
{
    return rsqrtf(__fadd_rn(__fdiv_rn(sum, (float)width), epsilon));
}

// The rounding of both products is spelled out, so that no compiler contracts one entry's apply
// and leaves the other's.
__device__ __forceinline__ float apply(float x, float inverse, float weight)
{
    return __fmul_rn(__fmul_rn(x, inverse), weight);
}

__device__ __forceinline__ float4 apply(float4 x, float inverse, float4 weight)
{
    return make_float4(apply(x.x, inverse, weight.x), apply(x.y, inverse, weight.y),
                       apply(x.z, inverse, weight.z), apply(x.w, inverse, weight.w));
}

// The exact path of any width and any alignment, for however many threads the block has.
__device__ __forceinline__ void normalise_by_scalars(const float* x, const float* weight, float* y,
                                                     int width, float epsilon)
{
    const float sum = sum_over_reduction_threads(partial_sum_of_squares(x, width));
    const float inverse = inverse_root_mean_square(sum, width, epsilon);
    for (int d = threadIdx.x; d < width; d += blockDim.x) {
        y[d] = apply(x[d], inverse, weight[d]);
    }
}

extern "C" __global__ void __launch_bounds__(REDUCTION_THREADS)
rms_norm(const float* x, const float* __restrict__ weight, float* __restrict__ y,
         int width, float epsilon)
{
    wait_for_predecessors();
    release_dependents();
    normalise_by_scalars(x, weight, y, width, epsilon);
}

__device__ __forceinline__ bool is_vector_aligned(const void* pointer)
{
    return (unsigned long long)pointer % sizeof(float4) == 0;
}

// Dynamic shared memory: `width` floats. At least 128 threads.
extern "C" __global__ void __launch_bounds__(1024)
rms_norm_wide(const float* x, const float* __restrict__ weight,
              float* __restrict__ y, int width, float epsilon)
{
    extern __shared__ float4 staged_row[];
    const int vectors = width / 4;
    const bool is_vectorised = width % 4 == 0 && is_vector_aligned(x) && is_vector_aligned(weight)
                               && is_vector_aligned(y)
                               && vectors <= VECTORS_PER_THREAD * (int)blockDim.x;
    if (!is_vectorised) {
        wait_for_predecessors();
        release_dependents();
        normalise_by_scalars(x, weight, y, width, epsilon);
        return;
    }

    // Nobody writes the weights, so they are fetched while the predecessor still runs. They are read
    // once; and a plain load would be moved to where its value is used, behind the wait.
    const float4* weight_vectors = reinterpret_cast<const float4*>(weight);
    const float4* x_vectors = reinterpret_cast<const float4*>(x);
    float4 weights[VECTORS_PER_THREAD];
    float4 row[VECTORS_PER_THREAD];
#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
        const int vector = threadIdx.x + i * blockDim.x;
        weights[i] = vector < vectors ? __ldcs(weight_vectors + vector) : make_float4(0, 0, 0, 0);
    }
    wait_for_predecessors();
    release_dependents();
#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
        const int vector = threadIdx.x + i * blockDim.x;
        row[i] = vector < vectors ? x_vectors[vector] : make_float4(0, 0, 0, 0);
        if (vector < vectors) {
            staged_row[vector] = row[i];
        }
    }
    __syncthreads();

    const float* staged = reinterpret_cast<const float*>(staged_row);
    const float sum = sum_over_reduction_threads(partial_sum_of_squares(staged, width));
    const float inverse = inverse_root_mean_square(sum, width, epsilon);
#pragma unroll
    for (int i = 0; i < VECTORS_PER_THREAD; ++i) {
        const int vector = threadIdx.x + i * blockDim.x;
        if (vector < vectors) {
            reinterpret_cast<float4*>(y)[vector] = apply(row[i], inverse, weights[i]);
        }
    }
}
