// The kernel is a local pointer, a parenthesised one, a member, a function's result.
// options: --dim n_head=96:tp
using Kernel = void (*)(float*, int);
__global__ void small_tile(float* x, int n);
__global__ void large_tile(float* x, int n);
struct Plan { Kernel kernel; int heads; };
Kernel pick(int n);

void through_pointers(float* x, int n, int n_head, Plan* plan, Kernel* table) {
    auto kernel = n > 64 ? large_tile : small_tile;
    kernel<<<n_head, 128>>>(x, n);  // expect: collapses grid=(n_head)
    (*kernel)<<<n_head, 128>>>(x, n);  // expect: collapses grid=(n_head)
    auto* fixed = &small_tile;
    fixed<<<n_head, 128>>>(x, n);  // expect: collapses grid=(n_head) kernel=small_tile
    plan->kernel<<<n_head, 128>>>(x, n);  // expect: collapses grid=(n_head)
    table[n / 32]<<<n_head, 128>>>(x, n);  // expect: collapses grid=(n_head)
    pick(n)<<<n_head, 128>>>(x, n);  // expect: collapses grid=(n_head)
}
