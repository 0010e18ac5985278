// Names of launch functions in declarations, pointers and a member of another class.
// options: --dim n_head=96:tp
cudaError_t cudaLaunchKernel(const void* f, dim3 grid, dim3 block, void** a, size_t s, cudaStream_t t);  // expect: none
typedef cudaError_t (*launch_t)(const void*, dim3, dim3, void**, size_t, cudaStream_t);
static launch_t original = &cudaLaunchKernel;  // expect: none
struct Recorder { void cudaLaunchKernel(int n_head); };
void record(Recorder& recorder, int n_head) {
    recorder.cudaLaunchKernel(n_head);  // expect: none
    // cudaLaunchKernel((void*) f, dim3(n_head), dim3(1), 0, 0, 0);
}
