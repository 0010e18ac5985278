// Bodies of wrappers are counted as launchers and are no findings of their own.
// options: --dim n_head=96:tp --dim blocks=96:tp
template <typename K> void one(K kernel, int blocks) {
    kernel<<<blocks, 128>>>();  // expect: launcher
}
template <typename K> void two(K kernel, unsigned blocks, cudaStream_t stream) {
    void* none[1];
    cudaLaunchKernel((void*) kernel, dim3(blocks), dim3(64), none, 0, stream);  // expect: launcher
}
template <typename K> void three(K kernel, dim3 blocks) {
    hipLaunchKernelGGL(kernel, blocks, dim3(64), 0, 0);  // expect: launcher
}
