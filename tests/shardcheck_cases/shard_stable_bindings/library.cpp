// options: --set total=96
// m.def with the function beside the schema, and a namespace on it.
#include <torch/library.h>
namespace kernels { void decay(torch::Tensor& state, int64_t heads, int64_t rows); }
TORCH_LIBRARY_FRAGMENT(engine, ops) {
    ops.def("decay(Tensor! state, int heads, int rows) -> ()", &kernels::decay);
}
