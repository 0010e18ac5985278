// Many things are called `launch` or `run`; only the one that launches is a site.
// options: --dim n_head=96:tp
struct Rocket { void launch(int stages, int n_head); };
struct Device { template <typename K> void launch(K kernel, int blocks, float* x) { kernel<<<blocks, 32>>>(x); } };  // expect: launcher
void run(int n_head, int b);
__global__ void step(float* x);
void use(Rocket rocket, Device device, float* x, int n_head) {
    rocket.launch(3, n_head);  // expect: none
    device.launch(step, n_head, x);  // expect: collapses grid=(n_head) kernel=step
    run(n_head, 2);  // expect: none
}
