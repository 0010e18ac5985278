// A macro means what it is defined as where it is used.
#define ROWS 2
__global__ void step(float* y);
void first(float* y, int n_head) {
    step<<<n_head * ROWS, 64>>>(y);  // expect: grid=(n_head * 2)
}
#undef ROWS
#define ROWS 3
#define GRID(n) ((n) * ROWS)
void second(float* y, int n_head) {
    step<<<n_head * ROWS, 64>>>(y);  // expect: grid=(n_head * 3)
    step<<<GRID(n_head), 64>>>(y);  // expect: grid=(n_head * 3)
}
#undef GRID
#define GRID(n) ((n) * 5)
#undef ROWS
#define ROWS 7
void third(float* y, int n_head) {
    step<<<GRID(n_head), 64>>>(y);  // expect: grid=(n_head * 5)
    step<<<n_head * ROWS, 64>>>(y);  // expect: grid=(n_head * 7)
}
