#include "dispatch.h"
__global__ void body(float* x);
void use(float* x, int n_head) {
    const int blocks = n_head;
    const int threads = N_THREADS;
    WITH_LAUNCH(body, x);
    body<<<dim3(2, n_head), N_THREADS>>>(x);  // expect: collapses grid=(2, n_head) block=(96)
}
