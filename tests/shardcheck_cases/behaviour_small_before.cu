// Too small at one rank already.
// options: --dim n_head=64:tp
__global__ void tiny(float* x);
void already(float* x, int n_head) {
    tiny<<<n_head, 128>>>(x);  // expect: GA402 blocks=64/32/16/8
    tiny<<<n_head + 2, 128>>>(x);  // expect: GA401 blocks=66/34/18/10
}
