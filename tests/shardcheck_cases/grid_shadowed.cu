// An inner variable of the same name is another one.
// options: --dim n_head=96:tp
__global__ void inner(float* x);
__global__ void outer(float* x);

void shadow(float* x, int n_head) {
    int blocks = n_head;
    {
        int blocks = 3;
        inner<<<blocks, 64>>>(x);  // expect: constant grid=(3)
    }
    outer<<<blocks, 64>>>(x);  // expect: collapses grid=(n_head)
}
