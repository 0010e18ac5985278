// A pair of dim3 from a helper, unpacked by field and by structured binding.
// options: --dim n_head=96:tp
#include <utility>
__global__ void rows_kernel(float* x);

static std::pair<dim3, dim3> geometry(int rows, int channels) {
    const dim3 block_nums((rows + 1) / 2, channels);
    const dim3 block_dims(32, 4);
    return {block_nums, block_dims};
}
void use(float* x, int n_head) {
    const std::pair<dim3, dim3> dims = geometry(n_head, 2);
    rows_kernel<<<dims.first, dims.second>>>(x);  // expect: collapses grid=(cdiv(n_head, 2), 2) block=(32, 4) blocks=96/48/24/12
    auto [nums, threads] = geometry(n_head * 2, 1);
    rows_kernel<<<nums, threads>>>(x);  // expect: collapses grid=(n_head, 1) block=(32, 4)
    const auto made = std::make_pair(dim3(n_head, 3), dim3(64));
    rows_kernel<<<made.first, made.second>>>(x);  // expect: collapses grid=(n_head, 3) block=(64)
}
