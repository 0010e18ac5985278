// Two uses of one macro with another grid each: two values of one site.
// options: --dim n_head=96:tp
__global__ void work(float* x);
#define RUN_WORK() work<<<blocks, 64>>>(x) /* expect: collapses grid=(one_of(n_head, n_head * 3)) symbols.x=blocks,n_head */

void once(float* x, int n_head) {
    int blocks = n_head;
    RUN_WORK();
}
void again(float* x, int n_head) {
    int blocks = n_head * 3;
    RUN_WORK();
}
