// The runtime's launch functions, with the grid by position.
// options: --dim n_head=96:tp
#include <cuda_runtime.h>
__global__ void decay(float* x, int n);
template <int D> __global__ void decay_wide(float* x, int n);

cudaError_t by_function(float* x, int n, int n_head, cudaStream_t stream) {
    void* arguments[] = {&x, &n};
    dim3 grid(n_head, 2);
    cudaLaunchKernel((void*) decay, grid, dim3(128), arguments, 0, stream);  // expect: GA401 grid=(n_head, 2) kernel=decay idiom=cudaLaunchKernel block=(128)
    cudaLaunchKernel(reinterpret_cast<const void*>(&decay_wide<64>), dim3(n_head), 64, arguments, 0, stream);  // expect: GA401 grid=(n_head) kernel=decay_wide
    auto status = cudaLaunchKernel(decay, n_head, 64, arguments);  // expect: GA401 grid=(n_head)
    if (status != cudaSuccess) return status;
    return cudaLaunchCooperativeKernel((void*) decay, grid, dim3(128), arguments, 0, stream);  // expect: GA401 grid=(n_head, 2) kernel=decay idiom=cudaLaunchCooperativeKernel
}
