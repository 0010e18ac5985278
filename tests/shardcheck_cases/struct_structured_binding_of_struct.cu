// auto [a, b] of a structure.
__global__ void step(float* y);
struct Pair { int a; int b; };
Pair split(int n) { return Pair{n, 2}; }
void f(float* y, int n_head) {
    auto [a, b] = split(n_head);
    step<<<dim3(b, a), 64>>>(y);  // expect: grid=(2, n_head)
}
