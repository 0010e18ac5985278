// Functions with the usual names whose bodies say otherwise.
// options: --dim n_head=96:tp
__global__ void part(float* x);
static int cdiv(int a, int b) { return a / b; }
static int ceil_div(int a, int b) { return a * b; }
#define DIVUP(a, b) ((a) - (b))

void lied_to(float* x, int n_head) {
    part<<<cdiv(n_head + 1, 2), 64>>>(x);  // expect: small grid=((n_head + 1) // 2) blocks=48/24/12/6
    part<<<ceil_div(n_head, 2), 64>>>(x);  // expect: collapses grid=(n_head * 2) blocks=192/96/48/24
    part<<<DIVUP(n_head, 6), 64>>>(x);  // expect: collapses grid=(n_head - 6) blocks=90/42/18/6
}
