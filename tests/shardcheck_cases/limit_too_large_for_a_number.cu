// A grid of more blocks than 64 bits count.
__global__ void vast(float* x);
void all(float* x) {
    vast<<<dim3(4000000000LL, 4000000000LL, 4000000000LL), 1>>>(x);  // expect: GA405
}
