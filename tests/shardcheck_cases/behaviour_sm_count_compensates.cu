// The SM count over the heads of a group; the product is what counts, not one axis.
// options: --dim num_kv_heads=8:tp --set max_chunks=4096
__global__ void decode(float* x);
void decoded(float* x, int num_kv_heads, int max_chunks, int num_sm) {
    const int per_sm = 2;
    const int grid_limit = num_sm * per_sm;
    const int chunks = std::min(max_chunks, std::max(1, grid_limit / num_kv_heads));
    decode<<<dim3(chunks, num_kv_heads), 128>>>(x);  // expect: compensated roots.y=num_kv_heads symbols.x=num_kv_heads,num_sm blocks=264/264/264/264
}
