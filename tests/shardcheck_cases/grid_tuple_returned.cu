// Tuples, std::tie and std::get.
// options: --dim n_head=96:tp
#include <tuple>
__global__ void plane(float* x);

std::tuple<int, int, int> plan(int heads) { return std::make_tuple(heads, 2, 64); }
void use(float* x, int n_head) {
    int columns, rows, threads;
    std::tie(columns, rows, threads) = plan(n_head);
    plane<<<dim3(columns, rows), threads>>>(x);  // expect: collapses grid=(n_head, 2) block=(64)
    auto whole = plan(n_head + 1);
    plane<<<std::get<0>(whole), std::get<2>(whole)>>>(x);  // expect: collapses grid=(n_head + 1) block=(64)
}
