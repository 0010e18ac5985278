// Extents of tensors in every spelling.
// options: --dim query.size(1)=96:tp --set batch=1
#include <torch/all.h>
__global__ void paged(float* x);
void attention(torch::Tensor& out, torch::Tensor& query, const at::Tensor& table) {
    const int num_seqs = query.size(0);
    const int num_heads = query.size(1);
    paged<<<dim3(num_heads, 2), 128>>>(out.data_ptr<float>());  // expect: GA401 grid=(query.size(1), 2) roots.x=query.size(1) symbols.x=num_heads
    paged<<<query.sizes()[1], 128>>>(out.data_ptr<float>());  // expect: GA401 roots.x=query.size(1)|query.sizes()[1]
    auto shape = query.sizes();
    paged<<<shape[1], 128>>>(out.data_ptr<float>());  // expect: GA401
    paged<<<table.size(-1), 128>>>(out.data_ptr<float>());  // expect: independent grid=(table.size(-1))
    auto swapped = query.transpose(0, 1);
    paged<<<swapped.size(0), 128>>>(out.data_ptr<float>());  // expect: GA401 grid=(query.size(1))|(query.shape[1])
}
