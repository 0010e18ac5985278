// A macro that another macro is given by its name is used where it is given.
// options: --dim n_head=96:tp
#define LAUNCH_COPY(T) copy<T><<<grid, 128>>>(static_cast<T*>(x));  // expect: GA401 grid=(n_head, 2)
#define BY_TYPE(kind, FN) \
    if (kind == 0) { FN(float) } else { FN(double) }
template <typename T> __global__ void copy(T* x);
void copies(void* x, int n_head, int kind) {
    dim3 grid(n_head, 2);
    BY_TYPE(kind, LAUNCH_COPY)
}
