// Dynamic parallelism: a kernel that launches is a site with the kernel as its function.
// options: --dim n_head=96:tp
__global__ void child(float* x);
__global__ void parent(float* x, int n_head) {
    child<<<n_head, 32>>>(x);  // expect: collapses grid=(n_head) kernel=child
}
