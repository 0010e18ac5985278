// A constant with two values under #if: both are said.
// options: --dim n_head=96:tp
#ifdef WIDE
#define ROWS_PER_BLOCK 4
#else
#define ROWS_PER_BLOCK 8
#endif
__global__ void sum(float* x);

void two_values(float* x, int n_head) {
    sum<<<dim3(n_head, 16 / ROWS_PER_BLOCK), 64>>>(x);  // expect: collapses grid=(n_head, one_of(4, 2)) roots.x=n_head roots.y=-|ROWS_PER_BLOCK
}
