// What a parser trips over must not swallow the launches behind it.
// options: --dim n_head=96:tp
template <typename T, int R> __global__ void rows_of(T* x) {}
#define INSTANTIATE_ROWS(T, R) template __global__ void rows_of<T, R>(T*)
INSTANTIATE_ROWS(float, 1);
INSTANTIATE_ROWS(half, 2);
INSTANTIATE_ROWS(float, 4)

EXPORT_API STATUS_CODE
launch_rows(float* x, int n_head) NOEXCEPT_IF_POSSIBLE {
    rows_of<float, 1><<<n_head, 32>>>(x);  // expect: collapses grid=(n_head) kernel=rows_of
    return STATUS_OK;
}
static void __attribute__((noinline)) launch_more(float* x, int n_head) {
    rows_of<float, 4><<<dim3(n_head, 2), 32>>>(x);  // expect: collapses grid=(n_head, 2)
}
