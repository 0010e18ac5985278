// A file that ends in the middle: what stands before is found, the rest is counted.
// options: --dim n_head=96:tp
__global__ void whole(float* x);
void finished(float* x, int n_head) {
    whole<<<n_head, 128>>>(x);  // expect: collapses grid=(n_head)
}
void unfinished(float* x, int n_head) {
    if (n_head > 3) {
        whole<<<dim3(n_head, 2), 64>>>(x);  // expect: optional collapses grid=(n_head, 2)
        whole<<<dim3(n_head
