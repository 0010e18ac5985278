// A switch with fall-through and a default.
// options: --dim n_head=96:tp
__global__ void tiles(float* x);

void by_switch(float* x, int n_head, int kind) {
    int per_head = 1;
    switch (kind) {
        case 0: per_head = 2; break;
        case 1:
        case 2: per_head = 3; break;
        default: per_head = 4;
    }
    tiles<<<n_head * per_head, 64>>>(x);  // expect: collapses grid=(n_head * one_of(2, 3, 4))
}
