// n is captured before it is changed.
__global__ void step(float* y);
void f(float* out, int n_head, int batch) {
    int y = n_head;
    auto rows = [y](int a) { return a * y; };
    y = 3;
    step<<<rows(batch), 64>>>(out);  // expect: grid=(batch * n_head)
}
