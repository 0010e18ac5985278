# CUDA in a string that nobody calls load_inline on: a runtime compiler gets it.
# options: --dim n_head=96:tp
from cuda.core.experimental import Program

HOST = r'''
template <int N> __global__ void fill(float* x) { x[blockIdx.x] = N; }
extern "C" void start(float* x, int n_head) {
    fill<4><<<dim3(n_head, 2), 64>>>(x);  // expect: collapses grid=(n_head, 2) kernel=fill
}
'''
program = Program(HOST, code_type="c++")
