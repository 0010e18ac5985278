// Guards that exclude each other, evaluated at each rank.
// options: --dim n_head=96:tp
__global__ void one(float* x);
__global__ void many(float* x);
void by_heads(float* x, int n_head) {
    const int per_block = n_head >= 48 ? 4 : (n_head >= 24 ? 2 : 1);
    one<<<dim3(n_head / per_block, 4), 64>>>(x);  // expect: collapses grid=(n_head // (4 if n_head >= 48 else (2 if n_head >= 24 else 1)), 4) blocks=96/48/48/48
    int splits = 1;
    if (n_head < 64 && n_head > 8) splits = 8;
    many<<<dim3(n_head, splits), 64>>>(x);  // expect: shrinks|compensated grid=(n_head, 8 if (n_head < 64 and n_head > 8) else 1) blocks=96/384/192/96
}
