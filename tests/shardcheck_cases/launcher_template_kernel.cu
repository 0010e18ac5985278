// The kernel is a template argument.
// options: --dim n_head=96:tp
template <auto Kernel, typename... A>
void launch_static(dim3 grid, dim3 block, A... a) {
    Kernel<<<grid, block>>>(a...);  // expect: launcher
}
__global__ void blend(float* x);
void use(float* x, int n_head) {
    launch_static<blend>(dim3(n_head), dim3(32), x);  // expect: collapses grid=(n_head) kernel=blend launcher=launch_static
}
