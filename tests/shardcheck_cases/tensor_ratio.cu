// A ratio of two extents that are divided alike does not change.
// options: --dim n_head=64:tp --dim n_head_kv=8:tp --set n_token=512
__global__ void grouped(float* x);
void grouped_heads(float* x, int n_head, int n_head_kv, int n_token) {
    const int group = n_head / n_head_kv;
    grouped<<<dim3(n_token, group), 64>>>(x);  // expect: independent|compensated blocks=4096/4096/4096/4096
    grouped<<<dim3(n_token, n_head_kv), 64>>>(x);  // expect: shrinks blocks=4096/2048/1024/512
}
