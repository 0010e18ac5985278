// A local that is called gridDim, beside the kernel's own gridDim.
// options: --dim rows=96:tp
__global__ void uses_grid_dim(float* x) { if (blockIdx.x < gridDim.x) x[blockIdx.x] = gridDim.y; }
void host(float* x, int rows) {
    dim3 gridDim(rows, 2), blockDim(64);
    uses_grid_dim<<<gridDim, blockDim>>>(x);  // expect: collapses grid=(rows, 2) block=(64)
}
