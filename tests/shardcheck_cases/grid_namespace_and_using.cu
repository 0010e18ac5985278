// The same name in two namespaces.
// options: --dim n_head=96:tp
namespace left { constexpr int kRows = 2; static int blocks(int n) { return n * kRows; } }
namespace right { constexpr int kRows = 3; static int blocks(int n) { return n * kRows; } }
__global__ void spaced(float* x);
void named(float* x, int n_head) {
    spaced<<<left::blocks(n_head), 64>>>(x);  // expect: collapses grid=(n_head * 2)
    spaced<<<right::blocks(n_head), 64>>>(x);  // expect: collapses grid=(n_head * 3)
    spaced<<<dim3(n_head, right::kRows), 64>>>(x);  // expect: collapses grid=(n_head, 3)
}
