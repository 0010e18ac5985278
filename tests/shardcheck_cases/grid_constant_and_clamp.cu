// std::clamp, and a bound by a constant with no name.
// options: --dim n_head=96:tp
__global__ void clamped(float* x);
void clamps(float* x, int n_head) {
    clamped<<<std::clamp(n_head, 1, 80), 64>>>(x);  // expect: collapses|capped_by_constant GA404? grid=(min(max(n_head, 1), 80)) blocks=80/48/24/12
    clamped<<<n_head > 16 ? 16 : n_head, 64>>>(x);  // expect: small GA404? grid=(16 if n_head > 16 else n_head) blocks=16/16/16/12
}
