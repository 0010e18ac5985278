// The loop counter has the name of an outer variable.
__global__ void step(float* y);
void f(float* y, int n_head, int m) {
    int x = n_head;
    for (int x = 0; x < m; x++) {}
    step<<<x, 64>>>(y);  // expect: grid=(n_head)
}
