// A block holds 1,024 threads.
__global__ void threads(float* x);
void blocks(float* x) {
    threads<<<4, 1024>>>(x);  // expect: constant
    threads<<<4, 1025>>>(x);  // expect: constant GA405
    threads<<<4, dim3(32, 32)>>>(x);  // expect: constant block=(32, 32)
    threads<<<4, dim3(64, 32)>>>(x);  // expect: constant GA405 block=(64, 32)
    threads<<<4, dim3(1, 1, 64)>>>(x);  // expect: constant
    threads<<<4, dim3(1, 1, 65)>>>(x);  // expect: constant GA405?
}
