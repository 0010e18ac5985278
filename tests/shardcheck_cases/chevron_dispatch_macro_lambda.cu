// Dispatch macros that take a lambda, nested.
// options: --dim n_head=96:tp
#define VISIT_TYPE(kind, ...) [&] { if (kind) { using T = half; return __VA_ARGS__(); } using T = float; return __VA_ARGS__(); }()
#define VISIT_BOOL(cond, NAME, ...) [&] { if (cond) { constexpr bool NAME = true; return __VA_ARGS__(); } constexpr bool NAME = false; return __VA_ARGS__(); }()
template <typename T, bool CAUSAL> __global__ void score(void* x);

void visited(void* x, int kind, bool causal, int n_head, int n_tile) {
    dim3 grid(1, n_head);
    VISIT_TYPE(kind, [&] {
        VISIT_BOOL(causal, CAUSAL, [&] {
            auto kernel = &score<T, CAUSAL>;
            kernel<<<grid, 128>>>(x);  // expect: collapses grid=(1, n_head) roots.y=n_head roots.x=-
        });
    });
}
