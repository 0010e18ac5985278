// A loop that tries splits until the waves are full.
// options: --dim h=32:tp --set n_block=64 --set b=1
__global__ void splitkv(float* x);
inline int split_heuristic(int batch_heads, int num_sm, int n_block, int max_splits) {
    if (batch_heads >= 0.8f * num_sm) return 1;
    max_splits = std::min({max_splits, num_sm, n_block});
    float best = 0.f;
    int result = 1;
    for (int s = 1; s <= max_splits; s++) {
        float waves = float(batch_heads * s) / num_sm;
        float efficiency = waves / std::ceil(waves);
        if (efficiency > best) { best = efficiency; result = s; }
    }
    return result;
}
void forward(float* x, int b, int h, int n_block, int num_sm) {
    const int splits = split_heuristic(b * h, num_sm * 2, n_block, 128);
    splitkv<<<dim3(1, splits, b * h), 128>>>(x);  // expect: compensated|unknown sharded=h symbols.y=num_sm
}
