// A launcher of a launcher of a launcher.
// options: --dim n_head=96:tp
__global__ void add(float* x);

template <typename K, typename... A>
void innermost(K kernel, dim3 g, dim3 b, A... a) {
    kernel<<<g, b>>>(a...);  // expect: launcher
}
template <typename K, typename... A>
void middle(dim3 blocks, K kernel, A... a) {
    innermost(kernel, blocks, dim3(128), a...);  // expect: launcher launcher=innermost
}
template <typename K>
void outer(K kernel, float* x, int count) {
    middle(dim3(count), kernel, x);  // expect: launcher launcher=middle
}
void use(float* x, int n_head) {
    outer(add, x, n_head);  // expect: collapses grid=(n_head) kernel=add launcher=outer
    middle(dim3(n_head, 2), add, x);  // expect: collapses grid=(n_head, 2) kernel=add launcher=middle
}
