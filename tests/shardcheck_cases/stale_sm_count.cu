// A constant that is the SM count of a known device, in a grid that means it.
__global__ void persistent(float* x);
constexpr int kNumSMs = 132;
#define GRID_SMS 108
void stale_counts(float* x, int n_tile) {
    persistent<<<kNumSMs, 256>>>(x);  // expect: constant GA404 grid=(132)
    persistent<<<std::min(n_tile, GRID_SMS), 256>>>(x);  // expect: independent|capped_by_constant GA404 grid=(min(n_tile, 108))
}
