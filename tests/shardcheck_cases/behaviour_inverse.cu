// Sharding makes this grid larger: nothing to flag.
// options: --dim n_head=96:tp --set budget=9600
__global__ void chunks(float* x);
void grows(float* x, int n_head, int budget) {
    chunks<<<budget / n_head, 64>>>(x);  // expect: compensated|independent|shrinks blocks=100/200/400/800
}
