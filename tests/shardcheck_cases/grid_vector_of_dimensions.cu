// Arrays and vectors of extents.
// options: --dim n_head=96:tp
__global__ void placed(float* x);
void arrays(float* x, int n_head) {
    int sizes[3] = {n_head, 2, 1};
    placed<<<dim3(sizes[0], sizes[1], sizes[2]), 64>>>(x);  // expect: collapses grid=(n_head, 2, 1)
    std::array<int, 2> pair = {2, n_head};
    placed<<<dim3(pair[1], pair[0]), 64>>>(x);  // expect: collapses grid=(n_head, 2)
    std::vector<int64_t> shape{n_head, 3};
    placed<<<dim3(shape[0], shape[1]), 64>>>(x);  // expect: collapses grid=(n_head, 3)
}
