// A function that passes its grid on is a launcher; its calls are sites.
// options: --dim n_head=96:tp --set head_dim=128
template <typename... K, typename... A>
static void overlapped_launch(dim3 grid, dim3 block, size_t shared, cudaStream_t stream, void (*kernel)(K...), A&&... arguments) {
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    cudaLaunchKernelEx(&config, kernel, std::forward<A>(arguments)...);  // expect: launcher
}
__global__ void recur(float* s, int n);
template <int D> __global__ void recur_wide(float* s, int n);

void step(float* s, int n, int n_head, int head_dim, cudaStream_t stream) {
    overlapped_launch((unsigned) n_head, 128, 0, stream, recur, s, n);  // expect: GA401 grid=(n_head) kernel=recur launcher=overlapped_launch idiom=launcher block=(128)
    dim3 grid(n_head, (head_dim + 31) / 32);
    overlapped_launch(grid, dim3(32, 4), 0, stream, recur_wide<128>, s, n);  // expect: GA401 grid=(n_head, cdiv(head_dim, 32)) kernel=recur_wide launcher=overlapped_launch block=(32, 4)
}
