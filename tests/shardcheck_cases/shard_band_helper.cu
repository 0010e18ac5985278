// A helper that cuts a band of heads for this rank.
// options: --set n_heads=96
__global__ void recur(float* x);
struct Band { int begin; int extent; };
static Band even_band(int total, int ranks, int rank) {
    Band band;
    band.extent = total / ranks;
    band.begin = rank * band.extent;
    return band;
}
struct Config { int n_heads; int tp_size; int tp_rank; };
void forward(float* x, const Config& cfg) {
    const int here = even_band(cfg.n_heads, cfg.tp_size, cfg.tp_rank).extent;
    recur<<<here, 64>>>(x);  // expect: GA401 grid=(cfg.n_heads // cfg.tp_size) by=tp blocks=96/48/24/12
}
