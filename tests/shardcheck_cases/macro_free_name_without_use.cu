// A grid that only a use of the macro gives, and there is none.
__global__ void step(float* y);
#define LAUNCH(y) step<<<blocks, 64>>>(y)  // expect: unknown symbols.x=blocks
#define LAUNCH_BOTH(y) step<<<dim3(row_blocks, 2), 64>>>(y)  // expect: unknown symbols.x=row_blocks
#define AGAIN(n) AGAIN(n)
void f(float* y, int n) {
    step<<<AGAIN(n), 64>>>(y);  // expect: unknown
}
