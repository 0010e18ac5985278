// The number is given, so dim3 is not meant.
__global__ void step(float* y);
int g(dim3 a) { return a.x; }
int g(int a) { return a * 2; }
void f(float* y, int n_head) {
    step<<<g(n_head), 64>>>(y);  // expect: grid=(n_head * 2)
}
