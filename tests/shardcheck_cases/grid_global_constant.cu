// Constants of every kind have their value.
// options: --dim n_head=96:tp
#define PARTS 2
constexpr int kWarps = 4;
static const int kTile = kWarps * 8;
enum { kFields = 3, kMore };
enum class Mode : int { One = 1, Five = 5 };
namespace sizes { constexpr int deep = 2; }
__global__ void constants(float* x);

void constants_used(float* x, int n_head) {
    constants<<<dim3(n_head, PARTS), 64>>>(x);  // expect: collapses grid=(n_head, 2)
    constants<<<dim3(n_head, 64 / kTile), 64>>>(x);  // expect: collapses grid=(n_head, 2)
    constants<<<dim3(n_head, kFields), 64>>>(x);  // expect: collapses grid=(n_head, 3)
    constants<<<dim3(n_head, kMore), 64>>>(x);  // expect: collapses grid=(n_head, 4)
    constants<<<dim3(n_head, (int) Mode::Five), 64>>>(x);  // expect: collapses grid=(n_head, 5)
    constants<<<dim3(n_head, sizes::deep), 64>>>(x);  // expect: collapses grid=(n_head, 2)
}
