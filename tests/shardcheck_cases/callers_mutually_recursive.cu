// Two that call each other, with the grid going round.
// options: --dim n_head=96:tp
__global__ void ping_kernel(float* x);
void pong(float* x, int n);
void ping(float* x, int n) {
    ping_kernel<<<n, 64>>>(x);  // expect: collapses|small|shrinks|unknown symbols.x=n
    pong(x, n - 1);
}
void pong(float* x, int n) { if (n) ping(x, n); }
void start(float* x, int n_head) { ping(x, n_head); }
