// A call in the condition of an if writes its argument.
__global__ void step(float* y);
static bool tiles_of(int n, int* out) { *out = n * 2; return true; }
void f(float* y, int n_head) {
    int x = 3;
    if (!tiles_of(n_head, &x)) return;
    step<<<x, 64>>>(y);  // expect: grid=(n_head * 2)
}
