__global__ void right(float* x);
template <typename K> static void go(K kernel, int rows, float* x) {
    kernel<<<dim3(rows / 2, 3), 128>>>(x);  // expect: launcher
}
void use_second(float* x, int n_head) {
    go(right, n_head, x);  // expect: collapses grid=(n_head // 2, 3) kernel=right launcher=go blocks=144/72/36/18
}
