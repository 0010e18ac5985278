// The kernel is fixed and the grid is a parameter: the launch is the site, its callers give the grid.
// options: --dim n_head=96:tp
__global__ void norm(float* x);

static void launch_norm(float* x, int rows, cudaStream_t stream) {
    norm<<<rows, 256, 0, stream>>>(x);  // expect: collapses grid=(n_head * 2) kernel=norm symbols.x=n_head,rows roots.x=n_head
}
void normalise(float* x, int n_head, cudaStream_t stream) {
    launch_norm(x, n_head * 2, stream);  // expect: none
}
