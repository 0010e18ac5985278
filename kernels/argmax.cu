// The token with the largest logit; of equal ones the first, so every grid gives the same token. A
// logit that is no number counts as the lowest, so that there is always a token.
//
//   argmax          one block over the whole vocabulary
//   argmax_partial  a grid over chunks of it, whose winners
//   argmax_final    one block reduces

#include "best_candidate.cuh"
#include "programmatic.cuh"

constexpr int THREADS = 1024;

__device__ __forceinline__ Candidate best_of_range(const float* logits, int first, int end)
{
    Candidate best = {lowest_score(), first};
    for (int token = first + threadIdx.x; token < end; token += THREADS) {
        best = better_of(best, {fmaxf(logits[token], lowest_score()), token});
    }
    return block_best(best);
}

extern "C" __global__ void __launch_bounds__(THREADS)
argmax(const float* logits, int* __restrict__ token, int vocabulary)
{
    wait_for_predecessors();
    release_dependents();
    const Candidate best = best_of_range(logits, 0, vocabulary);
    if (threadIdx.x == 0) {
        token[0] = best.number;
    }
}

// Grid: (cdiv(vocabulary, chunk)), up to 1024 chunks.
extern "C" __global__ void __launch_bounds__(THREADS)
argmax_partial(const float* logits, float* __restrict__ best_logits, int* __restrict__ best_tokens,
               int vocabulary, int chunk)
{
    wait_for_predecessors();
    release_dependents();
    const int first = blockIdx.x * chunk;
    const Candidate best = best_of_range(logits, first, min(first + chunk, vocabulary));
    if (threadIdx.x == 0) {
        best_logits[blockIdx.x] = best.score;
        best_tokens[blockIdx.x] = best.number;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
argmax_final(const float* best_logits, const int* best_tokens, int* __restrict__ token, int chunks)
{
    wait_for_predecessors();
    release_dependents();
    Candidate mine = {lowest_score(), NO_NUMBER};
    if (threadIdx.x < chunks) {
        mine = {best_logits[threadIdx.x], best_tokens[threadIdx.x]};
    }
    const Candidate best = block_best(mine);
    if (threadIdx.x == 0) {
        token[0] = best.number;
    }
}
