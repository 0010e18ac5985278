// numel and products of extents.
// options: --dim query.size(1)=96:tp --set query.size(0)=1 --set query.size(2)=64
#include <torch/all.h>
__global__ void flat(float* x);
void elements(torch::Tensor query) {
    const int64_t rows = query.numel() / query.size(-1);
    flat<<<query.size(0) * query.size(1), 64>>>(query.data_ptr<float>());  // expect: GA401 grid=(query.size(0) * query.size(1)) blocks=96/48/24/12
    flat<<<rows, 64>>>(query.data_ptr<float>());  // expect: collapses|shrinks|small|independent|unknown
    auto made = torch::empty({4, query.size(1)}, query.options());
    flat<<<dim3(made.size(1), made.size(0)), 64>>>(made.data_ptr<float>());  // expect: GA401 grid=(query.size(1), 4)
}
