// sizeof and vector widths are constants.
// options: --dim n_head=96:tp
struct alignas(16) Pack { float v[4]; };
template <typename T> __global__ void vectors(T* x);
template <typename T> void packed(T* x, int n_head, int dim) {
    constexpr int width = 16 / sizeof(float);
    vectors<T><<<n_head * 8 / width, 64>>>(x);  // expect: collapses grid=(n_head * 2)
    constexpr int generic = 16 / sizeof(T);
    vectors<T><<<dim3(n_head, (dim + generic - 1) / generic), 64>>>(x);  // expect: collapses|shrinks|small sharded=n_head roots.x=n_head
}
