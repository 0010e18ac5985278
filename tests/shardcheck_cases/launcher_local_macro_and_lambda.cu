// A lambda that is given a compile-time number and launches, as dispatchers write it.
// options: --dim n_head=96:tp
template <int THREADS, int ITEMS> __global__ void reduce(float* x, int n);
void by_width(float* x, int n, int n_head, cudaStream_t stream) {
    const dim3 grid(n_head, 2);
    auto invoke = [&](auto threads, auto items) {
        reduce<decltype(threads)::value, items.value><<<grid, threads.value, 0, stream>>>(x, n);  // expect: collapses grid=(n_head, 2) kernel=reduce
    };
    if (n > 1024) invoke(std::integral_constant<int, 256>{}, std::integral_constant<int, 4>{});
    else invoke(std::integral_constant<int, 128>{}, std::integral_constant<int, 2>{});
}
