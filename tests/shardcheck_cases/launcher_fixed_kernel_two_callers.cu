// Two callers: two values of one site.
// options: --dim n_head=96:tp
__global__ void norm(float* x);

static void launch_norm(float* x, dim3 grid) {
    norm<<<grid, 256>>>(x);  // expect: collapses grid=(one_of(n_head, 4096)) kernel=norm
}
void heads(float* x, int n_head) { launch_norm(x, dim3(n_head)); }  // expect: none
void tokens(float* x) { launch_norm(x, dim3(4096)); }  // expect: none
