// The grid travels inside a pack of arguments.
// options: --dim n_head=96:tp
template <typename K, typename... A> void base(K kernel, dim3 grid, A... a) {
    kernel<<<grid, 64>>>(a...);  // expect: launcher
}
template <typename... A> void timed(A&&... a) {
    start_clock();
    base(std::forward<A>(a)...);  // expect: launcher|unknown
    stop_clock();
}
__global__ void rows(float* x);
void use(float* x, int n_head) {
    timed(rows, dim3(n_head), x);  // expect: collapses grid=(n_head) kernel=rows
}
