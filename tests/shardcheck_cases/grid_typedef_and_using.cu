// Other names of dim3 and of a structure.
// options: --dim n_head=96:tp
using Grid = dim3;
typedef struct { Grid grid; int threads; } plan_t;
__global__ void renamed(float* x);
void aliases(float* x, int n_head) {
    Grid grid(n_head, 2);
    renamed<<<grid, 64>>>(x);  // expect: collapses grid=(n_head, 2)
    plan_t plan{Grid(n_head, 3), 64};
    renamed<<<plan.grid, plan.threads>>>(x);  // expect: collapses grid=(n_head, 3) block=(64)
}
