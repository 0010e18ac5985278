// One template argument in the whole program: one answer.
// options: --dim n_head=96:tp
struct PerHead { static constexpr int kRows = 4; static dim3 grid(int heads, int rows) { return dim3(heads, (rows + kRows - 1) / kRows); } };
template <typename S> __global__ void attend(float* x);

template <typename Scheduler> static void launch(float* x, int heads, int rows) {
    attend<Scheduler><<<Scheduler::grid(heads, rows), 128>>>(x);  // expect: collapses grid=(n_head, 2) kernel=attend
}
void use(float* x, int n_head) { launch<PerHead>(x, n_head, 8); }
