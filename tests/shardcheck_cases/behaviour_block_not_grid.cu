// Heads decide the block and not the grid.
// options: --dim num_heads=64:tp
__global__ void rotate(float* x);
void rotate_all(float* x, int num_tokens, int num_heads, int rot_dim) {
    dim3 grid(num_tokens);
    dim3 block(std::min(num_heads * rot_dim / 2, 512));
    rotate<<<grid, block>>>(x);  // expect: independent grid=(num_tokens) roots.x=num_tokens not.x=num_heads sharded=-
    const int warps = num_heads < 16 ? 4 : 8;
    rotate<<<dim3(num_tokens, 2), dim3(32, warps), num_heads * 4>>>(x);  // expect: independent grid=(num_tokens, 2) block=(32, 4 if num_heads < 16 else 8)
    rotate<<<num_tokens, 128>>>(x + num_heads * 64);  // expect: independent grid=(num_tokens)
}
