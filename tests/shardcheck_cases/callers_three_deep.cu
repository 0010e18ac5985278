// Three calls deep, the arguments renamed at each.
// options: --dim n_head=96:tp
__global__ void deep(float* x);
static void third(float* x, int c, int b) {
    deep<<<dim3(c, b), 64>>>(x);  // expect: collapses grid=(n_head, 2) roots.x=n_head symbols.x=c,rows,n_head
}
static void second(int rows, float* x) { third(x, rows, 2); }
static void first(float* x, int n_head) { second(n_head, x); }
void entry(float* x, int n_head) { first(x, n_head); }
