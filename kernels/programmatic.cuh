// Programmatic dependent launch, for every kernel of the chain.
//
// A kernel first waits, then releases: released before the wait, its successor would release the
// next one in turn, and the whole chain would come to sit on the SMs. A grid that leaves SMs free
// releases at once, so that its successor fetches weights there meanwhile; one that fills them
// releases behind its loads, since a block that only waits still takes another one's place.
#pragma once

// Blocks until every earlier kernel of the chain has finished and its writes are visible. Without
// the launch attribute of programmatic dependent launch that is already so and the wait is free.
// In all these kernels only constant weights and outputs are __restrict__: through such a pointer
// the compiler may move a load above the wait, so nothing that a predecessor writes has it.
__device__ __forceinline__ void wait_for_predecessors()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Lets the next kernel of the chain be launched once every block of this one has called this or
// ended; what it reads of ours it waits for itself.
__device__ __forceinline__ void release_dependents()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
