// Reaching definitions: each launch sees the last assignment before it, not the first.
// options: --dim n_head=96:tp
__global__ void first(float* x);
__global__ void second(float* x);
__global__ void third(float* x);

void reassigned(float* x, int n_head, int B) {
    int blocks = n_head;
    first<<<blocks, 128>>>(x);  // expect: collapses grid=(n_head)
    blocks = B * 512;
    second<<<blocks, 128>>>(x);  // expect: independent grid=(B * 512) not.x=n_head sharded=-
    blocks *= 2;
    blocks += n_head;
    third<<<blocks, 128>>>(x);  // expect: shrinks|compensated grid=(B * 1024 + n_head)
}
