// Only the field that was assigned changes; a copy keeps what it was given.
// options: --dim n_head=96:tp
struct Plan { int heads; int rows; };
__global__ void planned(float* x);

void sensitive(float* x, int n_head) {
    Plan plan{n_head, 7};
    Plan other = plan;
    plan.rows = 3;
    planned<<<dim3(plan.heads, plan.rows), 64>>>(x);  // expect: collapses grid=(n_head, 3) roots.x=n_head roots.y=-
    planned<<<dim3(other.heads, other.rows), 64>>>(x);  // expect: shrinks|collapses grid=(n_head, 7) blocks=672/336/168/84
    Plan named{.heads = 5, .rows = n_head};
    planned<<<named.rows, 64>>>(x);  // expect: collapses grid=(n_head)
    planned<<<named.heads, 64>>>(x);  // expect: constant grid=(5) not.x=n_head
    Plan* pointer = &plan;
    pointer->heads = 9;
    planned<<<plan.heads, 64>>>(x);  // expect: constant|unknown|collapses grid=(9)|(one_of(9, n_head))
}
