// Configurations by braces and by designated initialisers.
// options: --dim n_head=96:tp
__global__ void combine(float* x);

void braces(float* x, int n_head, int splits, size_t shared, cudaStream_t stream) {
    cudaLaunchConfig_t in_order = {dim3(n_head, 2), dim3(128), shared, stream};
    cudaLaunchKernelEx(&in_order, combine, x);  // expect: collapses grid=(n_head, 2) block=(128) kernel=combine
    cudaLaunchConfig_t by_name{.gridDim = dim3(n_head), .blockDim = dim3(64), .dynamicSmemBytes = shared};
    cudaLaunchKernelEx(&by_name, combine, x);  // expect: collapses grid=(n_head) block=(64)
    cudaLaunchConfig_t nested = {{(unsigned) n_head, 3, 1}, {32, 1, 1}, 0, stream};
    cudaLaunchKernelEx(&nested, combine, x);  // expect: collapses grid=(n_head, 3) block=(32)
}
