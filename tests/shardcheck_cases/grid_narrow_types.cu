// Casts of every spelling do not hide the value.
// options: --dim n_head=96:tp
__global__ void cast(float* x);

void casts(float* x, long long n_head, size_t rows) {
    cast<<<(unsigned) n_head, 64>>>(x);  // expect: collapses grid=(n_head)
    cast<<<(unsigned int)(n_head), 64>>>(x);  // expect: collapses grid=(n_head)
    cast<<<static_cast<uint32_t>(n_head), 64>>>(x);  // expect: collapses grid=(n_head)
    cast<<<uint32_t(n_head), 64>>>(x);  // expect: collapses grid=(n_head)
    cast<<<dim3{uint32_t{n_head}, 1, 1}, 64>>>(x);  // expect: collapses grid=(n_head)
    cast<<<std::max<int>(1, n_head), 64>>>(x);  // expect: collapses grid=(max(1, n_head))
    cast<<<(int) std::ceil((float) n_head / 2.0f), 64>>>(x);  // expect: small grid=(cdiv(n_head, 2)) blocks=48/24/12/6
}
