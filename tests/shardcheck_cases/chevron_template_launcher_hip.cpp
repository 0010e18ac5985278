// A template kernel with commas goes in parentheses.
// options: --dim n_expert=256:ep --shard ep=1,2,4,8
#include <hip/hip_runtime.h>
template <typename T, int N> __global__ void route(T* x);
__global__ void count(int* x);

void hip_templates(float* x, int* y, int n_expert) {
    hipLaunchKernelGGL((route<float, 4>), dim3(n_expert), dim3(64), 0, 0, x);  // expect: GA401 grid=(n_expert) kernel=route blocks=256/128/64/32
    void* arguments[] = {&y};
    hipLaunchKernel((const void*) count, dim3(n_expert), dim3(64), arguments, 0, nullptr);  // expect: GA401 grid=(n_expert) kernel=count idiom=hipLaunchKernel
    hipModuleLaunchKernel(loaded, n_expert, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr);  // expect: GA401 grid=(n_expert, 1, 1)
}
