// Halves of #if that each open a brace, and a header that is there twice.
// options: --dim n_head=96:tp
__global__ void dot(float* x);

#if defined(USE_HALF)
void launch_dot(half* x, int n_head, bool fast) {
    if (fast) {
#else
void launch_dot(float* x, int n_head, bool fast) {
    if (!fast) {
#endif
        dot<<<n_head, 64>>>((float*) x);  // expect: collapses grid=(n_head)
    }
#ifdef TWO_ROWS
    dot<<<dim3(n_head, 2), 64>>>((float*) x);  // expect: collapses grid=(n_head, 2)
#else
    dot<<<dim3(n_head, 3), 64>>>((float*) x);  // expect: collapses grid=(n_head, 3)
#endif
}
