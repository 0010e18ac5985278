// A launcher that calls itself must end.
// options: --dim n_head=96:tp
__global__ void sweep(float* x);
static void halve(float* x, int blocks) {
    if (blocks == 0) return;
    sweep<<<blocks, 64>>>(x);  // expect: collapses|small|shrinks|unknown symbols.x=n_head
    halve(x, blocks / 2);
}
void start(float* x, int n_head) { halve(x, n_head); }
