// A flat floor of 1,024 tokens a slice beside a blocks-per-SM target: from some rank on the floor binds.
// options: --dim n_head=96:tp --set n_ctx=4096
__global__ void attend(float* x);
static int slices(int n_head, int n_ctx, int sm_count) {
    const int target = (4 * sm_count + n_head - 1) / n_head;   // four blocks an SM
    constexpr int kMinSliceTokens = 1024;
    const int most = (n_ctx + kMinSliceTokens - 1) / kMinSliceTokens;
    return std::max(1, std::min(target, most));
}
void forward(float* x, int n_head, int n_ctx, int sm_count) {
    attend<<<dim3(n_head, slices(n_head, n_ctx, sm_count)), 128>>>(x);  // expect: capped_by_constant|collapses GA404 sharded=n_head blocks=384/192/96/48
}
