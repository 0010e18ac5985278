// A macro that is a statement and has no semicolon behind it.
// options: --dim n_head=96:tp
#define CHECK_ALIGNED(pointer) if ((size_t) (pointer) % 16) abort();
#define DECLARE(name, value) const int name = (value);
__global__ void net(float* x);

void no_semicolon(float* x, int n_head) {
    CHECK_ALIGNED(x)
    net<<<n_head, 64>>>(x);  // expect: collapses grid=(n_head)
    DECLARE(blocks, n_head * 2)
    net<<<blocks, 64>>>(x);  // expect: collapses grid=(n_head * 2) symbols.x=blocks
}
