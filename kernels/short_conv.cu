// Causal convolution of width 4 over a layer's query, key and value channels, one token at a time.
//
// The last three inputs of every channel are the layer's state, oldest first. SiLU follows; queries
// and keys are then scaled to unit length per head, and queries by 1 / sqrt(head_dim) on top.
//
// Grid: (heads, 3) with one thread a channel, so 36 blocks at 12 heads. `projected` is [query, key,
// value][head][128]; weights are [3][head][4][128] and the state [3][head][3][128].

#include "programmatic.cuh"

constexpr int HEAD_DIM = 128;
constexpr int WIDTH = 4;
constexpr int WARPS = HEAD_DIM / 32;
constexpr int QUERY = 0;
constexpr int KEY = 1;

// The sum over the block, known to every thread.
__device__ __forceinline__ float block_sum(float value)
{
    __shared__ float warp_sums[WARPS];
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    }
    if (threadIdx.x % 32 == 0) {
        warp_sums[threadIdx.x / 32] = value;
    }
    __syncthreads();
    return warp_sums[0] + warp_sums[1] + warp_sums[2] + warp_sums[3];
}

extern "C" __global__ void __launch_bounds__(HEAD_DIM)
short_conv(const float* projected, const float* __restrict__ weights, float* state,
           float* __restrict__ query, float* __restrict__ key, float* __restrict__ value,
           float epsilon)
{
    const int head = blockIdx.x;
    const int stream = blockIdx.y;
    const int channel = threadIdx.x;
    const int block = stream * gridDim.x + head;
    const float* taps = weights + block * WIDTH * HEAD_DIM + channel;
    float* history = state + block * (WIDTH - 1) * HEAD_DIM + channel;
    wait_for_predecessors();
    release_dependents();

    const float newest = projected[block * HEAD_DIM + channel];
    float sum = taps[(WIDTH - 1) * HEAD_DIM] * newest;
#pragma unroll
    for (int tap = 0; tap < WIDTH - 1; ++tap) {
        const float older = history[tap * HEAD_DIM];
        sum += taps[tap * HEAD_DIM] * older;
        if (tap > 0) {
            history[(tap - 1) * HEAD_DIM] = older;
        }
    }
    history[(WIDTH - 2) * HEAD_DIM] = newest;
    float result = sum / (1.0f + expf(-sum));

    if (stream == QUERY || stream == KEY) {
        const float inverse_length = rsqrtf(block_sum(result * result) + epsilon);
        result *= stream == QUERY ? inverse_length * rsqrtf((float)HEAD_DIM) : inverse_length;
    }
    float* output = stream == QUERY ? query : stream == KEY ? key : value;
    output[head * HEAD_DIM + channel] = result;
}
