// The experts of a token: the `chosen` highest scores, weighted by a softmax over just these.
//
// Grid: (1), one thread an expert, up to 1024. Each round finds the best score left; equal scores
// go to the lower number, so the choice never depends on the order of the comparisons.

#include "programmatic.cuh"

constexpr int MAX_WARPS = 32;
constexpr int MAX_CHOSEN = 32;
constexpr float LOWEST = -3.402823466e38f;

struct Candidate {
    float score;
    int expert;
};

__device__ __forceinline__ Candidate better_of(Candidate a, Candidate b)
{
    const bool is_b = b.score > a.score || (b.score == a.score && b.expert < a.expert);
    return is_b ? b : a;
}

__device__ __forceinline__ Candidate warp_best(Candidate candidate)
{
    for (int distance = 16; distance > 0; distance /= 2) {
        const Candidate other = {__shfl_xor_sync(0xffffffffu, candidate.score, distance),
                                 __shfl_xor_sync(0xffffffffu, candidate.expert, distance)};
        candidate = better_of(candidate, other);
    }
    return candidate;
}

// The block's best candidate, known to every thread.
__device__ __forceinline__ Candidate block_best(Candidate candidate)
{
    __shared__ Candidate warp_winners[MAX_WARPS];
    candidate = warp_best(candidate);
    __syncthreads();  // the previous round has been read
    if (threadIdx.x % 32 == 0) {
        warp_winners[threadIdx.x / 32] = candidate;
    }
    __syncthreads();
    for (int warp = 0; warp < blockDim.x / 32; ++warp) {
        candidate = better_of(candidate, warp_winners[warp]);
    }
    return candidate;
}

extern "C" __global__ void __launch_bounds__(1024)
router_top_k(const float* scores, int* __restrict__ expert_ids,
             float* __restrict__ router_weights, int experts, int chosen)
{
    __shared__ float chosen_scores[MAX_CHOSEN];
    const int expert = threadIdx.x;
    release_dependents();
    wait_for_predecessors();
    Candidate mine = {expert < experts ? scores[expert] : LOWEST, expert};
    for (int round = 0; round < chosen; ++round) {
        const Candidate best = block_best(mine);
        if (best.expert == expert) {
            mine.score = LOWEST;
            chosen_scores[round] = best.score;
            expert_ids[round] = expert;
        }
    }
    __syncthreads();
    if (threadIdx.x < chosen) {  // the first score is the largest
        float sum = 0.0f;
        for (int round = 0; round < chosen; ++round) {
            sum += expf(chosen_scores[round] - chosen_scores[0]);
        }
        router_weights[threadIdx.x] = expf(chosen_scores[threadIdx.x] - chosen_scores[0]) / sum;
    }
}
