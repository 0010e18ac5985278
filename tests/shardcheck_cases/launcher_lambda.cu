// A lambda that launches what it is given.
// options: --dim n_head=96:tp
__global__ void up(float* x);
__global__ void down(float* x);
void use(float* x, int n_head, cudaStream_t stream) {
    auto launch = [&](auto kernel, int blocks) {
        kernel<<<blocks, 128, 0, stream>>>(x);  // expect: launcher
    };
    launch(up, n_head);  // expect: collapses grid=(n_head) kernel=up
    launch(down, 3);  // expect: constant grid=(3) kernel=down
}
