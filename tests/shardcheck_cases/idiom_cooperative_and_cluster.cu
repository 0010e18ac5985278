// A cluster beside the grid; the grid still counts blocks.
// options: --dim n_head=96:tp
template <int D> __global__ void clustered(float* x);
void with_cluster(float* x, int n_head, cudaStream_t stream) {
    cudaLaunchConfig_t config{dim3(n_head, 2), dim3(128), 0, stream, nullptr, 0};
    cudaLaunchAttribute attributes[1];
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim = {2, 1, 1};
    config.attrs = attributes;
    config.numAttrs = 1;
    auto status = cudaLaunchKernelEx(&config, clustered<64>, x);  // expect: collapses grid=(n_head, 2) kernel=clustered
    if (cudaLaunchKernelEx(&config, &clustered<128>, x) != cudaSuccess) abort();  // expect: collapses grid=(n_head, 2) kernel=clustered
}
