// A launch function inside a checking macro.
// options: --dim n_head=96:tp
#define CHECK(call) do { cudaError_t status_ = (call); if (status_ != cudaSuccess) abort(); } while (0)
__global__ void decay(float* x);

void checked(float* x, int n_head, cudaStream_t stream) {
    void* arguments[] = {&x};
    CHECK(cudaLaunchKernel((void*) decay, dim3(n_head, 4), dim3(64), arguments, 0, stream));  // expect: collapses grid=(n_head, 4) kernel=decay
    CHECK((decay<<<n_head, 64, 0, stream>>>(x), cudaGetLastError()));  // expect: collapses grid=(n_head) kernel=decay
}
