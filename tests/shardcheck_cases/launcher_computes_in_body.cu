// A wrapper that takes the kernel and finds the grid itself is the site; nobody's number is passed on.
// options: --dim query.heads=96:tp
struct Tensor { int heads; int tokens; };
template <typename K> void attend(K kernel, const Tensor& query, int tile) {
    int per_sm = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, 128, 0);
    const int tiles = (query.tokens + tile - 1) / tile;
    kernel<<<dim3(tiles, query.heads), 128>>>(query);  // expect: collapses|shrinks|small kernel=plain symbols.y=query.heads
}
__global__ void plain(Tensor query);
void use(const Tensor& query) {
    attend(plain, query, 64);  // expect: none
}
