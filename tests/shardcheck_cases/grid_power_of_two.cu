// Rounding up to a power of two, and a logarithm.
// options: --dim n_head=96:tp
__global__ void tree(float* x);
static int next_pow2(int n) {
    int p = 1;
    while (p < n) p <<= 1;
    return p;
}
void powers(float* x, int n_head) {
    tree<<<next_pow2(n_head), 64>>>(x);  // expect: collapses grid=(next_power_of_2(n_head)) blocks=128/64/32/16
}
