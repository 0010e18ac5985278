// q is another name of p.
__global__ void step(float* y);
struct Params { int rows; };
void f(float* y, int batch, int n_head) {
    Params p;
    p.rows = batch;
    Params& q = p;
    q.rows = n_head;
    step<<<p.rows, 64>>>(y);  // expect: grid=(n_head)
}
