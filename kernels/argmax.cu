// The token with the largest logit; of equal ones the first, so every grid gives the same token.
//
//   argmax          one block over the whole vocabulary
//   argmax_partial  a grid over chunks of it, whose winners
//   argmax_final    one block reduces

#include "programmatic.cuh"

constexpr int THREADS = 1024;
constexpr int WARPS = THREADS / 32;
constexpr int NO_TOKEN = 0x7fffffff;
constexpr float LOWEST = -3.402823466e38f;

struct Candidate {
    float logit;
    int token;
};

__device__ __forceinline__ Candidate better_of(Candidate a, Candidate b)
{
    const bool is_b = b.logit > a.logit || (b.logit == a.logit && b.token < a.token);
    return is_b ? b : a;
}

__device__ __forceinline__ Candidate warp_best(Candidate candidate)
{
    for (int distance = 16; distance > 0; distance /= 2) {
        const Candidate other = {__shfl_xor_sync(0xffffffffu, candidate.logit, distance),
                                 __shfl_xor_sync(0xffffffffu, candidate.token, distance)};
        candidate = better_of(candidate, other);
    }
    return candidate;
}

// The block's best candidate; valid in thread 0.
__device__ __forceinline__ Candidate block_best(Candidate candidate)
{
    __shared__ Candidate warp_winners[WARPS];
    candidate = warp_best(candidate);
    if (threadIdx.x % 32 == 0) {
        warp_winners[threadIdx.x / 32] = candidate;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        candidate = warp_best(warp_winners[threadIdx.x]);
    }
    return candidate;
}

__device__ __forceinline__ Candidate best_of_range(const float* logits, int first, int end)
{
    Candidate best = {LOWEST, NO_TOKEN};
    for (int token = first + threadIdx.x; token < end; token += THREADS) {
        best = better_of(best, {logits[token], token});
    }
    return block_best(best);
}

extern "C" __global__ void __launch_bounds__(THREADS)
argmax(const float* logits, int* __restrict__ token, int vocabulary)
{
    release_dependents();
    wait_for_predecessors();
    const Candidate best = best_of_range(logits, 0, vocabulary);
    if (threadIdx.x == 0) {
        token[0] = best.token;
    }
}

// Grid: (cdiv(vocabulary, chunk)), up to 1024 chunks.
extern "C" __global__ void __launch_bounds__(THREADS)
argmax_partial(const float* logits, float* __restrict__ best_logits, int* __restrict__ best_tokens,
               int vocabulary, int chunk)
{
    release_dependents();
    wait_for_predecessors();
    const int first = blockIdx.x * chunk;
    const Candidate best = best_of_range(logits, first, min(first + chunk, vocabulary));
    if (threadIdx.x == 0) {
        best_logits[blockIdx.x] = best.logit;
        best_tokens[blockIdx.x] = best.token;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
argmax_final(const float* best_logits, const int* best_tokens, int* __restrict__ token, int chunks)
{
    release_dependents();
    wait_for_predecessors();
    Candidate mine = {LOWEST, NO_TOKEN};
    if (threadIdx.x < chunks) {
        mine = {best_logits[threadIdx.x], best_tokens[threadIdx.x]};
    }
    const Candidate best = block_best(mine);
    if (threadIdx.x == 0) {
        token[0] = best.token;
    }
}
