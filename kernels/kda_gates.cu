// What surrounds the state update of a Kimi Delta Attention layer: its decay and learning rate
// before, its output gate after. Both grids are the heads, 128 threads a block.
//
// `gates` is [decay, output][head][128], the two low-rank projections; `low_rank` is the first
// factors' common output, whose last `heads` elements are the learning rates.

#include "programmatic.cuh"

constexpr int HEAD_DIM = 128;
constexpr int WARPS = HEAD_DIM / 32;

__device__ __forceinline__ float sigmoid(float value)
{
    return 1.0f / (1.0f + expf(-value));
}

// log(1 + e^x). Above 20 the result is x itself in f32, and e^x need not fit.
__device__ __forceinline__ float softplus(float value)
{
    return value > 20.0f ? value : log1pf(expf(value));
}

// log_decay = -exp(decay_rate of the head) * softplus(projection + bias), at most 0.
extern "C" __global__ void __launch_bounds__(HEAD_DIM)
kda_gates(const float* gates, const float* low_rank, const float* __restrict__ bias,
          const float* __restrict__ decay_rates, float* __restrict__ log_decay,
          float* __restrict__ beta, int low_rank_width)
{
    const int head = blockIdx.x;
    const int element = head * HEAD_DIM + threadIdx.x;
    wait_for_predecessors();
    release_dependents();
    log_decay[element] = -expf(decay_rates[head]) * softplus(gates[element] + bias[element]);
    if (threadIdx.x == 0) {
        beta[head] = sigmoid(low_rank[low_rank_width + head]);
    }
}

// output = rms_norm(attention of the head) * weight * sigmoid(output gate).
extern "C" __global__ void __launch_bounds__(HEAD_DIM)
gate_and_norm(const float* attention, const float* gates, const float* __restrict__ weight,
              float* __restrict__ output, float epsilon)
{
    __shared__ float warp_sums[WARPS];
    const int element = blockIdx.x * HEAD_DIM + threadIdx.x;
    wait_for_predecessors();
    release_dependents();
    const float value = attention[element];
    float sum = value * value;
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    }
    if (threadIdx.x % 32 == 0) {
        warp_sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    const float mean =
        (warp_sums[0] + warp_sums[1] + warp_sums[2] + warp_sums[3]) / (float)HEAD_DIM;
    const float gate = sigmoid(gates[gridDim.x * HEAD_DIM + element]);
    output[element] = value * rsqrtf(mean + epsilon) * weight[threadIdx.x] * gate;
}
