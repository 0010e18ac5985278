// A default value of the launcher's own parameter gives an axis.
// options: --dim n_head=96:tp
template <typename K> void go(K kernel, int columns, int rows = 2) {
    kernel<<<dim3(columns, rows), 64>>>();  // expect: launcher
}
__global__ void tick();
void use(int n_head) {
    go(tick, n_head);  // expect: collapses grid=(n_head, 2) kernel=tick
    go(tick, n_head, 5);  // expect: collapses grid=(n_head, 5)
}
