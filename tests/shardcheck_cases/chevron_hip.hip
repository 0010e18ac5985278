// HIP spells chevrons too.
// options: --dim n_head=64:tp --device H200
#include <hip/hip_runtime.h>
__global__ void wave_reduce(float* x);

extern "C" void hip_chevrons(float* x, int n_head, hipStream_t stream) {
    wave_reduce<<<dim3(n_head), dim3(256), 0, stream>>>(x);  // expect: GA402 grid=(n_head) blocks=64/32/16/8
    hipLaunchKernelGGL(wave_reduce, dim3(n_head), dim3(256), 0, stream, x);  // expect: GA402 grid=(n_head) kernel=wave_reduce idiom=hipLaunchKernelGGL block=(256)
    hipLaunchKernelGGL((wave_reduce), n_head, 256, 0, 0, x);  // expect: GA402 grid=(n_head)
    hipLaunchKernelGGL(HIP_KERNEL_NAME(wave_reduce), dim3(n_head, 4), 256, 0, 0, x);  // expect: GA401 grid=(n_head, 4) kernel=wave_reduce blocks=256/128/64/32
}
