// Nested aggregate braces.
__global__ void step(float* y);
struct Inner { int h; int w; };
struct Params { Inner inner; int rows; };
void f(float* y, int n_head, int batch) {
    Params p{{batch, n_head}, 3};
    step<<<p.inner.w, 64>>>(y);  // expect: grid=(n_head)
}
