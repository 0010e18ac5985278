// goto skips an assignment.
__global__ void step(float* y);
void f(float* y, int n_head, int m) {
    int x = n_head;
    if (m > 2) goto done;
    x = 3;
done:
    step<<<x, 64>>>(y);  // expect: grid=(n_head if m > 2 else 3)
}
