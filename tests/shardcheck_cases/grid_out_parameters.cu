// A helper writes the grid through references and pointers.
// options: --dim n_head=96:tp
__global__ void plane(float* x);

static void choose(int heads, dim3& grid, dim3* block) {
    grid = dim3(heads, 2);
    block->x = 96;
}
void use(float* x, int n_head) {
    dim3 grid, block;
    choose(n_head, grid, &block);
    plane<<<grid, block>>>(x);  // expect: collapses grid=(n_head, 2) block=(96)
}
