// A refill that is bounded: at eight ranks the bound binds and the grid collapses after all.
// options: --dim n_head=96:tp --set max_splits=2
__global__ void latent(float* x);
void bounded_refill(float* x, int n_head, int max_splits, int sm_count) {
    const int wanted = 2 * sm_count / n_head;
    const int splits = std::max(1, std::min(wanted, max_splits));
    latent<<<dim3(n_head, splits), 128>>>(x);  // expect: collapses roots.x=n_head blocks=192/96/48/24
}
