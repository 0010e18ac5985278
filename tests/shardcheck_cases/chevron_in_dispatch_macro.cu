// A block of code as the argument of a dispatch macro, with commas of its own.
// options: --dim n_head=96:tp --set rows=2
#define DISPATCH_WIDTH(value, NAME, ...)                  \
    switch (value) {                                      \
        case 64: { constexpr int NAME = 64; __VA_ARGS__; break; }   \
        case 128: { constexpr int NAME = 128; __VA_ARGS__; break; } \
    }
template <int W> __global__ void blend(float* a, float* b);

void dispatched(float* a, float* b, int width, int n_head, int rows) {
    DISPATCH_WIDTH(width, W,
        const int per_block = 256 / W; const int blocks = n_head * rows;
        blend<W><<<blocks, 256>>>(a, b);  // expect: collapses grid=(n_head * rows) kernel=blend roots.x=n_head,rows
    )
    DISPATCH_WIDTH(width, W, {
        dim3 grid(n_head, rows);
        blend<W><<<grid, 256>>>(a, b);  // expect: collapses grid=(n_head, rows)
    });
}
