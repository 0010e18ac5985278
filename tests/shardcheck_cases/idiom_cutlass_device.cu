// A class whose method launches with a grid of its own.
// options: --dim params.heads=96:tp
struct GemmParams { int tiles; int heads; };
template <typename P> __global__ void gemm_entry(P params);
class Gemm {
  public:
    static dim3 get_grid_shape(const GemmParams& params) { return dim3(params.tiles, params.heads); }
    static cudaError_t run(const GemmParams& params, cudaStream_t stream) {
        dim3 const grid = get_grid_shape(params);
        gemm_entry<GemmParams><<<grid, dim3(384), 0, stream>>>(params);  // expect: collapses|shrinks|small grid=(params.tiles, params.heads) roots.x=params.tiles roots.y=params.heads
        return cudaGetLastError();
    }
};
