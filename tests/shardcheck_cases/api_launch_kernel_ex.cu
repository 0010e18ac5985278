// cudaLaunchKernelEx and ExC: the grid is a field of a configuration.
// options: --dim n_head=96:tp --set head_dim=64
#include <cuda_runtime.h>
__global__ void attend(float* x, int n);

void by_configuration(float* x, int n, int n_head, int head_dim, cudaStream_t stream) {
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(n_head, head_dim / 16);
    config.blockDim = dim3(128);
    config.stream = stream;
    cudaLaunchAttribute attribute[1];
    config.attrs = attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, attend, x, n);  // expect: GA401 grid=(n_head, head_dim // 16) kernel=attend idiom=cudaLaunchKernelEx block=(128) blocks=384/192/96/48
    void* arguments[] = {&x, &n};
    config.gridDim.y = 1;
    cudaLaunchKernelExC(&config, (const void*) attend, arguments);  // expect: GA401 grid=(n_head, 1) kernel=attend idiom=cudaLaunchKernelExC
    config.gridDim = n_head;
    cudaLaunchKernelEx(&config, attend, x, n);  // expect: GA401 grid=(n_head)
}
