// The experts of a token: the `chosen` highest scores, weighted by a softmax over just these.
//
// Grid: (1), one thread an expert, up to 1024. Each round finds the best score left.

#include "best_candidate.cuh"
#include "programmatic.cuh"

constexpr int MAX_CHOSEN = 32;

extern "C" __global__ void __launch_bounds__(1024)
router_top_k(const float* scores, int* __restrict__ expert_ids,
             float* __restrict__ router_weights, int experts, int chosen)
{
    __shared__ float chosen_scores[MAX_CHOSEN];
    const int expert = threadIdx.x;
    wait_for_predecessors();
    release_dependents();
    Candidate mine = {lowest_score(), NO_NUMBER};
    if (expert < experts) {
        mine = {fmaxf(scores[expert], lowest_score()), expert};
    }
    for (int round = 0; round < chosen; ++round) {
        const Candidate best = block_best(mine);
        if (best.number == expert) {
            mine = {lowest_score(), NO_NUMBER};
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
