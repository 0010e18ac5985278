// A method changes a field.
__global__ void step(float* y);
struct Sizes { int rows = 0; void set(int n) { rows = n * 2; } };
void f(float* y, int n_head, int batch) {
    Sizes sizes;
    sizes.rows = batch;
    sizes.set(n_head);
    step<<<sizes.rows, 64>>>(y);  // expect: grid=(n_head * 2)
}
