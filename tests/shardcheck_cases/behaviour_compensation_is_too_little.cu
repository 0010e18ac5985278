// A refill that is bounded: at eight ranks the bound binds and the grid collapses after all.
// options: --dim n_head=96:tp --set n_ctx=512
__global__ void latent(float* x);
void bounded_refill(float* x, int n_head, int n_ctx, int sm_count) {
    const int wanted = 2 * sm_count / n_head;
    const int most = n_ctx / 256;
    const int splits = std::max(1, std::min(wanted, most));
    latent<<<dim3(n_head, splits), 128>>>(x);  // expect: collapses roots.x=n_head blocks=192/96/48/24
}
