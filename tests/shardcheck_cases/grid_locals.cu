// Locals on locals, and a name that is used again after it changed.
// options: --dim n_head=96:tp
__global__ void mix(float* x);

void locals(float* x, int n_head, int head_dim) {
    const int lanes = 32;
    int per_head = 64 / lanes;
    int total = n_head * per_head;
    unsigned blocks = static_cast<unsigned>(total);
    mix<<<blocks, lanes>>>(x);  // expect: collapses grid=(n_head * 2) roots.x=n_head symbols.x=n_head,total,blocks,per_head
    total = total + 1;
    mix<<<total, lanes>>>(x);  // expect: collapses grid=(n_head * 2 + 1)
    mix<<<blocks, lanes>>>(x);  // expect: collapses grid=(n_head * 2)
}
