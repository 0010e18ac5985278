// Branches at compile time, each with a launch.
// options: --dim n_head=96:tp
template <bool SPLIT> __global__ void attend(float* x);
template <bool SPLIT> void launch(float* x, int n_head, int splits) {
    if constexpr (SPLIT) {
        attend<SPLIT><<<dim3(n_head, 4), 128>>>(x);  // expect: collapses grid=(n_head, 4)
    } else {
        attend<SPLIT><<<n_head, 128>>>(x);  // expect: collapses grid=(n_head)
    }
}
