// Grids of tokens, of the SM count, of a hidden size that is not divided.
// options: --dim n_head=96:tp --set n_token=1
__global__ void dense(float* x);
void undivided(float* x, int n_token, int n_embd, int n_head) {
    dense<<<n_token, 256>>>(x);  // expect: independent sharded=-
    dense<<<dim3((n_embd + 127) / 128, n_token), 256>>>(x);  // expect: independent grid=(cdiv(n_embd, 128), n_token)
    dense<<<1, 256>>>(x);  // expect: constant grid=(1)
    dense<<<dim3(4, 2), 256>>>(x);  // expect: constant grid=(4, 2)
}
