#include "launch.cuh"
using namespace engine;
__global__ void gather(float* x);
void experts(float* x, int rows, cudaStream_t stream) {
    enqueue(stream, dim3(7), dim3(128), gather, x);  // expect: constant grid=(7) kernel=gather
}
