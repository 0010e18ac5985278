// Overloads by arity: one launches on a line of blocks, one on a plane.
// options: --dim n_head=96:tp
__global__ void fill(float* x);
template <typename K> void start(K kernel, float* x, int blocks) {
    kernel<<<blocks, 128>>>(x);  // expect: launcher
}
template <typename K> void start(K kernel, float* x, int columns, int rows) {
    kernel<<<dim3(columns, rows), 128>>>(x);  // expect: launcher
}
void start(float* x) { cudaMemset(x, 0, 4); }

void overloaded(float* x, int n_head) {
    start(fill, x, n_head);  // expect: collapses grid=(n_head)
    start(fill, x, n_head, 2);  // expect: collapses grid=(n_head, 2)
    start(x);  // expect: none
}
