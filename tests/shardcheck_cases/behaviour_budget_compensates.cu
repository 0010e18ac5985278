// A split count from a budget divided by the heads refills the grid.
// options: --dim n_head=96:tp --set n_ctx=131072
constexpr int kSplitBudget = 264;
__global__ void latent(float* x);
static int splits_for(int n_head, int n_ctx) {
    int splits = kSplitBudget / n_head;
    const int most = (n_ctx + 255) / 256;
    if (splits > most) splits = most;
    return splits < 1 ? 1 : splits;
}
void attend(float* x, int n_head, int n_ctx) {
    const int splits = splits_for(n_head, n_ctx);
    latent<<<dim3(n_head, splits), 128>>>(x);  // expect: compensated sharded=n_head roots.x=n_head blocks=192/240/264/264
}
