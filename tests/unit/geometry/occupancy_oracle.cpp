// Answers from CUDA's own occupancy header. One line in, one line out.
//
// in:  major minor threads_per_block threads_per_sm registers_per_block registers_per_sm
//      shared_per_block shared_per_sm shared_per_block_optin shared_reserve carve_out_percent
//      registers static_shared dynamic_shared barriers block_threads
// out: status blocks limiters warps blocks registers shared_memory barriers
#include <cstdio>

#include <cuda_occupancy.h>

int main() {
    cudaOccDeviceProp device;
    cudaOccFuncAttributes kernel;
    cudaOccDeviceState state;
    device.warpSize = 32;
    device.numSms = 1;
    kernel.maxThreadsPerBlock = 1024;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    size_t dynamic_shared;
    int block_threads;
    while (std::scanf("%d %d %d %d %d %d %zu %zu %zu %zu %d %d %zu %zu %d %d",
                      &device.computeMajor, &device.computeMinor, &device.maxThreadsPerBlock,
                      &device.maxThreadsPerMultiprocessor, &device.regsPerBlock,
                      &device.regsPerMultiprocessor, &device.sharedMemPerBlock,
                      &device.sharedMemPerMultiprocessor, &device.sharedMemPerBlockOptin,
                      &device.reservedSharedMemPerBlock, &state.carveoutConfig, &kernel.numRegs,
                      &kernel.sharedSizeBytes, &dynamic_shared, &kernel.numBlockBarriers,
                      &block_threads) == 16) {
        kernel.maxDynamicSharedSizeBytes = dynamic_shared;
        cudaOccResult result = {};
        const int status = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel,
                                                                   &state, block_threads,
                                                                   dynamic_shared);
        std::printf("%d %d %u %d %d %d %d %d\n", status, result.activeBlocksPerMultiprocessor,
                    result.limitingFactors, result.blockLimitWarps, result.blockLimitBlocks,
                    result.blockLimitRegs, result.blockLimitSharedMem, result.blockLimitBarriers);
    }
    return 0;
}
