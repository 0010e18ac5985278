// A launch inside a loop: the loop's own variable is not an answer.
// options: --dim n_head=96:tp
__global__ void level(float* x, int i);

void per_level(float* x, int n_head, int levels) {
    for (int i = 0; i < levels; ++i) {
        level<<<n_head, 64>>>(x, i);  // expect: collapses grid=(n_head)
    }
    for (int stride = 1; stride < 1024; stride *= 2) {
        level<<<dim3(n_head, 1024 / stride), 64>>>(x, stride);  // expect: collapses|shrinks|small|unknown sharded=n_head symbols.y=stride
    }
}
