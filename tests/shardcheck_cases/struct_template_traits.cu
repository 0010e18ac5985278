// Constants of traits classes.
// options: --dim n_head=96:tp
template <int D> struct Traits { static constexpr int kWidth = D; static constexpr int kBlocks = D / 32; };
struct Fixed { static const int kParts = 3; enum { kEnum = 2 }; };
__global__ void trait(float* x);

template <typename T> void traits(float* x, int n_head) {
    trait<<<dim3(n_head, Fixed::kParts), 64>>>(x);  // expect: collapses grid=(n_head, 3)
    trait<<<dim3(n_head, Fixed::kEnum), 64>>>(x);  // expect: collapses grid=(n_head, 2)
    trait<<<dim3(n_head, Traits<64>::kBlocks), 64>>>(x);  // expect: collapses grid=(n_head, 2)
    trait<<<dim3(n_head, T::kBlocks), 64>>>(x);  // expect: collapses|small|shrinks sharded=n_head
}
