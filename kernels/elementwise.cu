// Kernels that treat every element alone: the embedding of the token, the residual addition, and
// the activation of a dense feed-forward layer. Grid: (cdiv(elements, 256)).

#include <cuda_bf16.h>

#include "programmatic.cuh"

constexpr int THREADS = 256;

extern "C" __global__ void __launch_bounds__(THREADS)
embedding_lookup(const __nv_bfloat16* __restrict__ table, const int* token, float* __restrict__ row,
                 int width)
{
    const int element = blockIdx.x * THREADS + threadIdx.x;
    wait_for_predecessors();
    release_dependents();
    if (element < width) {
        row[element] = __bfloat162float(table[(long long)token[0] * width + element]);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
residual_add(float* residual, const float* update, int width)
{
    const int element = blockIdx.x * THREADS + threadIdx.x;
    wait_for_predecessors();
    release_dependents();
    if (element < width) {
        residual[element] += update[element];
    }
}

// gate_up is the gates followed by the ups: units = silu(gate) * up.
extern "C" __global__ void __launch_bounds__(THREADS)
silu_multiply(const float* gate_up, float* __restrict__ units, int width)
{
    const int element = blockIdx.x * THREADS + threadIdx.x;
    wait_for_predecessors();
    release_dependents();
    if (element < width) {
        const float gate = gate_up[element];
        units[element] = gate / (1.0f + expf(-gate)) * gate_up[width + element];
    }
}
