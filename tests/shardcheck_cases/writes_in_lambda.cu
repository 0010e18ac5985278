// A lambda that captures by reference sets what it captured.
__global__ void step(float* y);
void f(float* y, int batch, int n_head) {
    int tiles = batch;
    auto set = [&](int v) { tiles = v; };
    set(n_head);
    step<<<tiles, 64>>>(y);  // expect: grid=(n_head)
}
