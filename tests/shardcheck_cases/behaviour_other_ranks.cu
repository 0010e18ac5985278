// The ranks that are asked for: at two the grid is still large enough.
// options: --dim n_head=96:tp --shard tp=1,2
__global__ void two_ranks(float* x);
void at_two(float* x, int n_head) {
    two_ranks<<<dim3(n_head, 2), 128>>>(x);  // expect: shrinks blocks=192/96
    two_ranks<<<n_head, 128>>>(x);  // expect: GA401 blocks=96/48
}
