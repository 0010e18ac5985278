// An object that keeps the grid and is called with the kernel.
// options: --dim n_head=96:tp
struct LaunchKernel {
    LaunchKernel(dim3 grid, dim3 block, cudaStream_t stream, size_t shared = 0) {
        config_.gridDim = grid;
        config_.blockDim = block;
        config_.stream = stream;
        config_.dynamicSmemBytes = shared;
    }
    LaunchKernel& programmatic(bool on) { config_.numAttrs = on; return *this; }
    template <typename K, typename... A>
    void operator()(K&& kernel, A&&... a) const {
        cudaLaunchKernelEx(&config_, kernel, std::forward<A>(a)...);  // expect: launcher
    }
    cudaLaunchConfig_t config_{};
};
__global__ void swap_halves(float* x);
void use(float* x, int n_head, bool early, cudaStream_t stream) {
    LaunchKernel(n_head, 128, stream)(swap_halves, x);  // expect: collapses grid=(n_head) kernel=swap_halves
    LaunchKernel(dim3(n_head, 2), 128, stream).programmatic(early)(swap_halves, x);  // expect: collapses grid=(n_head, 2) kernel=swap_halves
    LaunchKernel kept(dim3(n_head, 3), 128, stream);
    kept(swap_halves, x);  // expect: collapses grid=(n_head, 3) kernel=swap_halves
}
