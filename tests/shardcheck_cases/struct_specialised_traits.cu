// Specialisations of a class template, and its defaults.
template <int D, int R = D / 16> struct Traits {
    static constexpr int kTile = D * 2;
    static constexpr int kBlocks = kTile / R;
};
template <> struct Traits<64> { static constexpr int kBlocks = 5; };
template <int R> struct Traits<96, R> { static constexpr int kBlocks = R + 1; };
__global__ void step(float* y);
template <int D> void f(float* y, int n_head) {
    step<<<dim3(n_head, Traits<64>::kBlocks), 64>>>(y);  // expect: grid=(n_head, 5)
    step<<<dim3(n_head, Traits<128>::kBlocks), 64>>>(y);  // expect: grid=(n_head, 32)
    step<<<dim3(n_head, Traits<128, 4>::kBlocks), 64>>>(y);  // expect: grid=(n_head, 64)
    step<<<dim3(n_head, Traits<96, 7>::kBlocks), 64>>>(y);  // expect: grid=(n_head, 8)
    step<<<dim3(n_head, Traits<D, 4>::kBlocks), 64>>>(y);  // expect: grid=(n_head, D * 2 // 4)
}
