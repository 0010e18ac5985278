// Plain small constants are no stale ones.
// options: --dim n_head=96:tp
__global__ void once(float* x);
void plain(float* x) {
    once<<<1, 128>>>(x);  // expect: constant grid=(1)
    once<<<dim3(1, 1, 1), dim3(32)>>>(x);  // expect: constant
    once<<<2, 64>>>(x);  // expect: constant
    once<<<32, 1024>>>(x);  // expect: constant
}
