// The tokens of a prompt are not those of a decode batch: how many there are is left open.
// options: --dim n_head=96:tp
__global__ void prefill_attend(float* x);
__global__ void decode_attend(float* x);
void launch_prefill(float* x, int n_tokens, int n_head) {
    prefill_attend<<<dim3(n_tokens, n_head), 128>>>(x);  // expect: shrinks condition~n_tokens
}
void launch_decode(float* x, int n_tokens, int n_head) {
    decode_attend<<<dim3(n_tokens, n_head), 128>>>(x);  // expect: GA401 blocks=96/48/24/12
}
