// A runtime compiles the kernel; the grid is a field of its arguments.
// options: --dim n_head=96:tp
#pragma once
struct LaunchArgs {
    std::pair<int, int> grid_dim;
    int num_threads;
    int smem_size;
    LaunchArgs(int grid, int threads) : grid_dim({grid, 1}), num_threads(threads), smem_size(0) {}
    LaunchArgs(std::pair<int, int> grid, int threads) : grid_dim(grid), num_threads(threads), smem_size(0) {}
};
struct Runtime {
    template <typename Args> static void launch(CUfunction kernel, const LaunchArgs& args, cudaStream_t stream, void** arguments) {
        cuLaunchKernel(kernel, args.grid_dim.first, args.grid_dim.second, 1, args.num_threads, 1, 1, args.smem_size, stream, arguments, nullptr);  // expect: launcher
    }
};
inline void project(CUfunction kernel, int n_head, cudaStream_t stream, void** arguments) {
    Runtime::launch<int>(kernel, LaunchArgs({n_head, 2}, 128), stream, arguments);  // expect: collapses grid=(n_head, 2)
}
