# CUDA in Python strings; lines are those of this file.
# options: --dim n_head=96:tp
from torch.utils.cpp_extension import load_inline

CUDA_SOURCE = """
#include <torch/extension.h>
__global__ void gate_kernel(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
void gate(torch::Tensor x, int64_t n_head) {
    gate_kernel<<<n_head, 128>>>(x.data_ptr<float>(), 1);  // expect: collapses grid=(n_head) kernel=gate_kernel idiom=chevron
    const int rows = n_head * 2;
    gate_kernel<<<rows, 128>>>(x.data_ptr<float>(), 1);  // expect: collapses grid=(n_head * 2)
}
"""
HELP = "a line that says gate_kernel<<<1, 2>>>(x) in words"  # expect: none

module = load_inline(name="gate", cpp_sources="void gate(torch::Tensor x, int64_t n);", cuda_sources=[CUDA_SOURCE], functions=["gate"])
