// A function that takes its kernel and computes the grid: each of its calls is a launch of one kernel.
struct Params { int n_head; int batch; int tiles; };
constexpr int kTile = 128;
__global__ void prefill(float* y);
__global__ void decode(float* y);

template <typename Kernel>
void launch(Kernel kernel, float* y, const Params& params, int rows) {
    int tiles = (params.tiles + kTile - 1) / kTile;
    dim3 grid(rows, tiles);
    kernel<<<grid, 64>>>(y);  // expect: launcher
}

void f(float* y, Params params) {
    launch(prefill, y, params, params.batch);  // expect: kernel=prefill grid=(params.batch, cdiv(params.tiles, 128))
    launch(decode, y, params, params.n_head);  // expect: kernel=decode grid=(params.n_head, cdiv(params.tiles, 128))
}

#define LAUNCH(KERNEL, ROWS, TILES)                   \
    do {                                              \
        dim3 grid_(ROWS, (TILES + 127) / 128);        \
        KERNEL<<<grid_, 64>>>(y); /* expect: launcher */ \
    } while (0)

void g(float* y, int n_head, int batch) {
    LAUNCH(prefill, batch, n_head);  // expect: kernel=prefill grid=(batch, cdiv(n_head, 128))
    LAUNCH(decode, n_head, batch);  // expect: kernel=decode grid=(n_head, cdiv(batch, 128))
}
