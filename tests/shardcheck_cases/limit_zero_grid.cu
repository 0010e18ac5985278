// A share that is rounded down to nothing: a launch without blocks is an error.
// options: --dim n_head=8:tp
__global__ void groups(float* x);
void unguarded(float* x, int n_head) {
    groups<<<n_head / 4, 128>>>(x);  // expect: small GA405 blocks=2/1/0/0
}
void guarded(float* x, int n_head) {
    if (n_head >= 4) groups<<<n_head / 4, 128>>>(x);  // expect: small
    if (n_head / 4 == 0) return;
    groups<<<n_head / 4, 128>>>(x);  // expect: small
}
void raised(float* x, int n_head) {
    groups<<<std::max(1, n_head / 4), 128>>>(x);  // expect: small blocks=2/1/1/1
}
