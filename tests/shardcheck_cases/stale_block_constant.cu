// Constants of the block are none of the grid's business.
// options: --dim n_head=96:tp --set kv_lora=512
constexpr int kThreads = 132;
__global__ void sum(float* x);
void threads_only(float* x, int n_head, int kv_lora) {
    sum<<<dim3(kv_lora, n_head), kThreads>>>(x);  // expect: shrinks grid=(kv_lora, n_head)
}
