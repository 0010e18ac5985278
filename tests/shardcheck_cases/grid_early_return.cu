// A path that left the function does not reach the launch.
// options: --dim n_head=96:tp
__global__ void walk(float* x);

void early(float* x, int n_head, int mode) {
    int blocks = n_head;
    if (mode == 0) {
        blocks = 1;
        walk<<<blocks, 32>>>(x);  // expect: constant grid=(1)
        return;
    }
    walk<<<blocks, 32>>>(x);  // expect: collapses grid=(n_head)
    if (mode == 1) {
        blocks = 2;
        throw 1;
    }
    walk<<<blocks, 32>>>(x);  // expect: collapses grid=(n_head)
}
