// Commas inside calls, templates and braces do not end the grid.
// options: --dim n_head=96:tp
template <int A, int B> struct Pick { static constexpr int value = A; };
template <typename K, int V> __global__ void commas(K* x);
void with_commas(float* x, int n_head) {
    commas<float, Pick<1, 2>::value><<<dim3(n_head, Pick<3, 4>::value), std::min(64, 128)>>>(x);  // expect: collapses grid=(n_head, 3) block=(64) kernel=commas
    commas<float, (1, 2)><<<(n_head, n_head), 64>>>(x);  // expect: collapses grid=(n_head)
}
