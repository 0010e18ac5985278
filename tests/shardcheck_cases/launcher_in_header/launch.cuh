// A launcher in a header, used in two files.
// options: --dim n_head=96:tp
#pragma once
namespace engine {
template <typename K, typename... A>
inline void enqueue(cudaStream_t stream, const dim3& grid, const dim3& block, K kernel, A... a) {
    kernel<<<grid, block, 0, stream>>>(a...);  // expect: launcher
}
}  // namespace engine
