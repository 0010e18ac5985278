// What a loop changes is in its rounds not what it was before.
__global__ void step(float* y);
void f(float* y, int n_head) {
    int blocks = n_head;
    while (blocks > 1) {
        step<<<blocks, 64>>>(y);  // expect: unknown symbols.x=n_head
        blocks = (blocks + 255) / 256;
    }
}
void g(float* y, int n_head, int batch) {
    dim3 grid(n_head * 2, batch);
    while (grid.x > 8) {
        step<<<grid, 64>>>(y);  // expect: unknown symbols.x=n_head
        grid.x /= 2;
    }
}
