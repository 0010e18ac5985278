// Members assigned after the constructor win over it, also through compound operators.
// options: --dim n_head=96:tp
__global__ void rope(float* x);

void members(float* x, int n_head, int head_dim) {
    dim3 grid(1, n_head, 4);
    grid.x = (head_dim + 63) / 64;
    grid.z /= 2;
    rope<<<grid, 64>>>(x);  // expect: collapses|shrinks|small grid=(cdiv(head_dim, 64), n_head, 2) roots.x=head_dim roots.y=n_head roots.z=-
    grid.y++;
    grid.x = 1;
    rope<<<grid, 64>>>(x);  // expect: collapses grid=(1, n_head + 1, 2)
    dim3 gridDim, blockDim;
    gridDim.x = n_head; gridDim.y = 2;
    blockDim.x = 128;
    rope<<<gridDim, blockDim>>>(x);  // expect: collapses grid=(n_head, 2) block=(128)
}
