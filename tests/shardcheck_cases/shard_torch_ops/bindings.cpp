#include <torch/library.h>
void rotate_cuda(torch::Tensor& out, torch::Tensor& query, int64_t count);
TORCH_LIBRARY(engine, m) {
    m.def("rotate(Tensor! out, Tensor query, int count) -> ()");
    m.impl("rotate", torch::kCUDA, &rotate_cuda);
}
