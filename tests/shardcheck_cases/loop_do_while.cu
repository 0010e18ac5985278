// A do loop runs its body before it asks: 16 for n_head = 32.
// options: --dim n_head=32:tp
__global__ void step(float* y);
void f(float* y, int n_head) {
    int x = n_head;
    do { x /= 2; } while (x > 32);
    step<<<x, 64>>>(y);  // expect: small blocks=16/8/4/2
}
