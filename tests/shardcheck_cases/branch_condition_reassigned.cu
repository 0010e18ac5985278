// The condition is another one by the time it is asked again: either grid may run.
// options: --dim n_head=96:tp
__global__ void step(float* y);
void run(float* y, int n_head, bool is_wide) {
  int blocks;
  if (is_wide) { blocks = 512; } else { blocks = n_head; }
  is_wide = y != nullptr;
  if (is_wide) {
    step<<<blocks, 64>>>(y);  // expect: sharded=n_head
  }
}
