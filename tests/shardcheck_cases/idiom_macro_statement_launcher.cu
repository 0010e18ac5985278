// A checking statement macro around a launcher that is a macro of a macro.
// options: --dim n_head=96:tp
#define SAFE(x) do { x; check(__FILE__, __LINE__); } while (0)
#define CONFIGURED(k, g, b) k<<<(g), (b), 0, current_stream()>>> /* expect: launcher */
__global__ void step(float* x);
void nested(float* x, int n_head) {
    SAFE(CONFIGURED(step, dim3(n_head, 2), 64)(x));  // expect: collapses grid=(n_head, 2) kernel=step launcher=CONFIGURED
}
