#include <torch/all.h>
namespace kernels {
__global__ void decay_kernel(float* x);
void decay(torch::Tensor& state, int64_t heads, int64_t rows) {
    decay_kernel<<<dim3(heads, 2), 64>>>(state.data_ptr<float>());  // expect: GA401 roots.x=heads blocks=192/96/48/24
    decay_kernel<<<rows, 64>>>(state.data_ptr<float>());  // expect: independent|constant not.x=heads
}
}  // namespace kernels
