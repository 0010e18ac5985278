// options: --dim n_head=96:tp
// Each file has a static function of the same name; only this one launches its second argument.
__global__ void left(float* x);
template <typename K> static void go(K kernel, int blocks, float* x) {
    kernel<<<blocks, 128>>>(x);  // expect: launcher
}
void use_first(float* x, int n_head) {
    go(left, n_head, x);  // expect: collapses grid=(n_head) kernel=left launcher=go
}
