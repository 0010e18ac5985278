// The best of many (score, number) pairs, for argmax and top-k.
//
// Of equal scores the lower number is better, so the answer never depends on the order of the
// comparisons, nor on the grid.
#pragma once

constexpr int MOST_WARPS = 32;
constexpr int NO_NUMBER = 0x7fffffff;  // of a candidate that every other one is better than

// The lowest score there is, -infinity, and what a score that is no number counts as.
__device__ __forceinline__ float lowest_score()
{
    return __int_as_float(0xff800000);
}

struct Candidate {
    float score;
    int number;
};

__device__ __forceinline__ Candidate better_of(Candidate a, Candidate b)
{
    const bool is_b = b.score > a.score || (b.score == a.score && b.number < a.number);
    return is_b ? b : a;
}

__device__ __forceinline__ Candidate warp_best(Candidate candidate)
{
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        const Candidate other = {__shfl_xor_sync(0xffffffffu, candidate.score, distance),
                                 __shfl_xor_sync(0xffffffffu, candidate.number, distance)};
        candidate = better_of(candidate, other);
    }
    return candidate;
}

// The block's best candidate, known to every thread. Blocks of whole warps; may be called again.
__device__ __forceinline__ Candidate block_best(Candidate candidate)
{
    __shared__ Candidate warp_winners[MOST_WARPS];
    candidate = warp_best(candidate);
    __syncthreads();  // the previous call's winners have been read
    if (threadIdx.x % 32 == 0) {
        warp_winners[threadIdx.x / 32] = candidate;
    }
    __syncthreads();
    for (int warp = 0; warp < blockDim.x / 32; ++warp) {
        candidate = better_of(candidate, warp_winners[warp]);
    }
    return candidate;
}
