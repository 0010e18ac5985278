#include <cuda_bf16.h>

__device__ float warp_sum(float value)
{
    for (int lane = 16; lane > 0; lane /= 2) value += __shfl_down_sync(~0u, value, lane);
    return value;
}

// The sum on 128 threads whatever the block, so that its order and its bits stay; the rest on all.
extern "C" __global__ void rms_norm(const float* x, float* y, int width, float epsilon)
{
    __shared__ float sums[4];
    if (threadIdx.x < 128) {
        float sum = 0.0f;
        for (int i = threadIdx.x; i < width; i += 128) sum += x[i] * x[i];
        sum = warp_sum(sum);
        if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    const float scale = rsqrtf((sums[0] + sums[1] + sums[2] + sums[3]) / width + epsilon);
    for (int i = threadIdx.x; i < width; i += blockDim.x) y[i] = x[i] * scale;
}

// One warp per row. The position stands for what a real kernel would do with it.
template <int warps>
__global__ void projection(
    const __nv_bfloat16* weight, const float* x, float* y, int rows, int width, long long position)
{
    const int row = blockIdx.x * warps + threadIdx.x / 32;
    if (row >= rows || position < 0) return;
    const __nv_bfloat16* const weights = weight + (long long)row * width;
    float sum = 0.0f;
    for (int i = threadIdx.x % 32; i < width; i += 32) sum += __bfloat162float(weights[i]) * x[i];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) y[row] = sum;
}
