// A macro that takes the kernel and the grid.
// options: --dim n_head=96:tp
#define LAUNCH(kernel, grid, block, stream, ...) \
    kernel<<<grid, block, 0, stream>>>(__VA_ARGS__) /* expect: launcher */
#define LAUNCH_ROWS(kernel, rows, ...)                       \
    do {                                                     \
        LAUNCH(kernel, dim3(rows), 64, 0, __VA_ARGS__); /* expect: launcher */ \
    } while (0)
__global__ void copy_rows(float* x, float* y);

void by_macro(float* x, float* y, int n_head, cudaStream_t stream) {
    LAUNCH(copy_rows, n_head, 128, stream, x, y);  // expect: collapses grid=(n_head) kernel=copy_rows launcher=LAUNCH block=(128)
    LAUNCH(copy_rows, dim3(n_head, 2), 128, stream, x, y);  // expect: collapses grid=(n_head, 2) launcher=LAUNCH
    LAUNCH_ROWS(copy_rows, n_head * 4, x, y);  // expect: collapses grid=(n_head * 4) kernel=copy_rows launcher=LAUNCH_ROWS
}
