#include "launch.cuh"
__global__ void attend(float* x);
void attention(float* x, int n_head, cudaStream_t stream) {
    engine::enqueue(stream, dim3(n_head), dim3(128), attend, x);  // expect: collapses grid=(n_head) kernel=attend launcher=enqueue
}
