// The launch stands under a condition that only some ranks meet.
// options: --dim n_head=96:tp
__global__ void few(float* x);
__global__ void many(float* x);
void guarded(float* x, int n_head) {
    if (n_head >= 66) {
        many<<<n_head, 64>>>(x);  // expect: shrinks|collapses|independent|small
    } else {
        few<<<dim3(n_head, 64), 64>>>(x);  // expect: shrinks|collapses|independent|small|compensated
    }
}
