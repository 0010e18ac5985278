// Object-like and function-like macros that are a grid.
// options: --dim n_head=96:tp
#define HEAD_GRID dim3(n_head, 2)
#define ROWS(n) ((n) * 3)
__global__ void body(float* x);

void grids(float* x, int n_head) {
    body<<<HEAD_GRID, 64>>>(x);  // expect: collapses grid=(n_head, 2)
    body<<<ROWS(n_head), 64>>>(x);  // expect: collapses grid=(n_head * 3)
}
