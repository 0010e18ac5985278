// Launches inside lambdas see what the lambda captures.
// options: --dim n_head=96:tp
template <int D> __global__ void mix(float* x);
template <typename F> void dispatch_dim(int dim, F f);

void in_lambda(float* x, int n_head, int dim, int batch) {
    const dim3 grid(n_head, 2);
    dispatch_dim(dim, [&](auto tag) {
        mix<decltype(tag)::value><<<grid, 128>>>(x);  // expect: collapses grid=(n_head, 2) roots.x=n_head kernel=mix
    });
    auto launch = [=](int heads) {
        [&] {
            mix<64><<<heads, 128>>>(x);  // expect: collapses grid=(n_head) symbols.x=heads,n_head
        }();
    };
    launch(n_head);
}
