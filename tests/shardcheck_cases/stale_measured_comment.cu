// The comment beside the constant names the shape it was measured on.
// options: --dim n_head=96:tp
__global__ void attend(float* x);
// tuned on 64 heads, 8k context, batch 1: 24 is best
constexpr int kTunedSplits = 24;
constexpr int kPlainSplits = 24;
void tuned(float* x, int n_head) {
    attend<<<dim3(n_head, kTunedSplits), 128>>>(x);  // expect: shrinks|capped_by_constant GA404 grid=(n_head, 24)
    attend<<<dim3(n_head, kPlainSplits), 128>>>(x);  // expect: shrinks grid=(n_head, 24)
}
