// The grid is among the macro's `...`, or the whole launch is.
// options: --dim n_head=96:tp
#define TIMED(...) do { tick(); __VA_ARGS__; tock(); } while (0)
#define FORWARD(kernel, ...) kernel<<<__VA_ARGS__>>> /* expect: launcher */
__global__ void body(float* x);

void variadic(float* x, int n_head, cudaStream_t stream) {
    TIMED(body<<<n_head, 64, 0, stream>>>(x));  // expect: collapses grid=(n_head) kernel=body
    TIMED(int blocks = n_head * 2; body<<<blocks, 64>>>(x));  // expect: collapses grid=(n_head * 2)
    FORWARD(body, n_head, 64)(x);  // expect: collapses grid=(n_head) kernel=body launcher=FORWARD
}
