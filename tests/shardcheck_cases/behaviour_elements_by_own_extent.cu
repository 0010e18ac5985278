// All elements of a tensor over one of its extents leave the others: no experts are in it.
#include <torch/all.h>
__global__ void top_k(float* x);
void gate(torch::Tensor& gating) {
    int num_experts = gating.size(-1);
    int num_tokens = gating.numel() / num_experts;
    top_k<<<num_tokens, 128>>>(gating.data_ptr<float>());  // expect: independent sharded=-
}
