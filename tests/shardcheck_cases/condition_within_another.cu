// A condition within the first branch of another.
__global__ void step(float* y);
void f(float* y, int n_head, int batch, int m) {
    int x = n_head > 4 ? (n_head > 8 ? m * 2 : batch * 2) : n_head * 2;
    step<<<x, 64>>>(y);  // expect: grid=((m * 2 if n_head > 8 else batch * 2) if n_head > 4 else n_head * 2)
}
