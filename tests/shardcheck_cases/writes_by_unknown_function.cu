// A function that is nowhere may change a field.
__global__ void step(float* y);
struct Params { int rows; };
void f(float* y, int n_head) {
    Params p;
    p.rows = n_head;
    adjust(&p);
    step<<<p.rows, 64>>>(y);  // expect: unknown
}
