// The configuration comes by reference and is filled by a function.
// options: --dim n_head=96:tp
__global__ void write_cache(float* x);

static void fill(cudaLaunchConfig_t& config, int blocks) {
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(64);
}
void filled(float* x, int n_head) {
    cudaLaunchConfig_t config;
    fill(config, n_head);
    cudaLaunchKernelEx(&config, write_cache, x);  // expect: collapses grid=(n_head) kernel=write_cache
}
