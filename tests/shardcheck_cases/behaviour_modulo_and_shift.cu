// Remainders, shifts and bits are evaluated exactly.
// options: --dim n_head=96:tp
__global__ void bits(float* x);
void with_bits(float* x, int n_head) {
    bits<<<(n_head + 15) & ~15, 64>>>(x);  // expect: GA401 blocks=96/48/32/16
    bits<<<n_head - n_head % 5, 64>>>(x);  // expect: GA401 blocks=95/45/20/10
    bits<<<1 << (n_head / 24), 64>>>(x);  // expect: small blocks=16/4/2/1
}
