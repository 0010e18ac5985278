__global__ void decay_kernel(float* x);
extern "C" void launch_decay(float* x, int n_head) {
    decay_kernel<<<n_head, 64>>>(x);  // expect: collapses|small|shrinks roots.x=n_head
}
