// A function that returns the configuration.
// options: --dim n_head=96:tp
__global__ void attend(float* x);
static cudaLaunchConfig_t configure(dim3 grid, dim3 block, cudaStream_t stream) {
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = block;
    config.stream = stream;
    return config;
}
void use(float* x, int n_head, cudaStream_t stream) {
    auto config = configure(dim3(n_head, 2), 128, stream);
    cudaLaunchKernelEx(&config, attend, x);  // expect: collapses grid=(n_head, 2) block=(128)
}
