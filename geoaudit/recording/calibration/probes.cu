// Kernels that show what a device does at best.

typedef unsigned long long u64;

extern "C" __global__ void geoaudit_empty() {}

// Lines of memory, each with the address of another: a walk along them visits every line once, in
// an order without a pattern. next = factor * line + step, modulo a power of two, has the full
// period where factor - 1 is a multiple of 4 and step is odd (Hull and Dobell, 1962).
extern "C" __global__ void geoaudit_link(u64* first, u64 lines) {
    const u64 words_per_line = 16;
    u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 line = (u64)blockIdx.x * blockDim.x + threadIdx.x; line < lines; line += stride) {
        u64 next = (line * 1664525ull + 1013904223ull) & (lines - 1);
        first[line * words_per_line] = (u64)(first + next * words_per_line);
    }
}

// One thread walks: every load waits for the one before.
extern "C" __global__ void geoaudit_walk(u64* first, u64* last, u64 steps) {
    u64* at = first;
    for (u64 step = 0; step < steps; ++step) at = (u64*)*at;
    *last = (u64)at;
}
