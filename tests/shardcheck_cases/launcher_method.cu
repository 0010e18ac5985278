// A method of a queue object; another class has one of the same name that launches nothing.
// options: --dim n_head=96:tp
__global__ void bias(float* x);
struct Queue {
    cudaStream_t stream;
    template <typename K, typename... A> void run(K kernel, dim3 grid, dim3 block, A... a) {
        kernel<<<grid, block, 0, stream>>>(a...);  // expect: launcher
    }
};
struct Pipeline {
    void run(const char* name, int stages, int depth, float* x);
};
void go(Queue& queue, Queue* other, Pipeline& pipeline, float* x, int n_head) {
    queue.run(bias, dim3(n_head), dim3(64), x);  // expect: collapses grid=(n_head) kernel=bias launcher=run
    other->run(bias, dim3(n_head, 2), dim3(64), x);  // expect: collapses grid=(n_head, 2) kernel=bias
    pipeline.run("bias", n_head, 64, x);  // expect: none
}
