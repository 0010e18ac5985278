// Letters of another encoding, a form feed, a lone backslash.
// options: --dim n_head=96:tp
__global__ void odd(float* x); 
void bytes(float* x, int n_head /* größe, 头 */) {
    const char* s = "\"<<<"; \
    odd<<<n_head, 64>>>(x);  // expect: collapses grid=(n_head)
    odd<<<dim3(n_head, 2), 64>>>(x); /* ü */ // expect: collapses grid=(n_head, 2)
}
