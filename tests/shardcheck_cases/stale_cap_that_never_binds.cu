// A cap far above what any rank reaches is fine.
// options: --dim n_head=96:tp --set n_ctx=1048576
__global__ void attend(float* x);
void never(float* x, int n_head, int n_ctx, int sm_count) {
    const int splits = std::min(std::max(1, 2 * sm_count / n_head), 4096);
    attend<<<dim3(n_head, splits), 128>>>(x);  // expect: compensated blocks=192/240/264/264
}
