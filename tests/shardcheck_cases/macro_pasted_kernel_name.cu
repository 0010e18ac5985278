// The kernel's name is pasted together.
// options: --dim n_head=96:tp
__global__ void rope_half(float* x);
__global__ void rope_full(float* x);
#define LAUNCH_ROPE(kind) rope_##kind<<<n_head, 64>>>(x) /* expect: collapses grid=(n_head) */

void pasted_kernels(float* x, int n_head, bool half) {
    if (half) LAUNCH_ROPE(half);
    else LAUNCH_ROPE(full);
}
