#include <torch/all.h>
__global__ void rotate_kernel(float* x);
void rotate_cuda(torch::Tensor& out, torch::Tensor& query, int64_t count) {
    rotate_kernel<<<dim3(1, query.size(1)), 64>>>(out.data_ptr<float>());  // expect: GA401 grid=(1, query.size(1)) roots.y=query.size(1) sharded=here|query.size(1)|size(1) blocks=96/48/24/12
    rotate_kernel<<<dim3(count, 2), 64>>>(out.data_ptr<float>());  // expect: GA401 roots.x=count sharded=here|count blocks=192/96/48/24
    rotate_kernel<<<query.size(0), 64>>>(out.data_ptr<float>());  // expect: independent sharded=-
}
