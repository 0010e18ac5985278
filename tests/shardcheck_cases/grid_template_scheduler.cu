// The grid comes from a class that is a template argument: both answers are said.
// options: --dim n_head=96:tp
struct Plain { static dim3 grid(int tiles, int heads, int sms) { return dim3(tiles, heads); } };
struct Persistent { static dim3 grid(int tiles, int heads, int sms) { return dim3(sms); } };
template <typename S> __global__ void attend(float* x);

template <typename Scheduler> void launch(float* x, int heads, int sm_count) {
    dim3 grid = Scheduler::grid(2, heads, sm_count);
    attend<Scheduler><<<grid, 128>>>(x);  // expect: collapses|shrinks|compensated|unknown symbols.y=n_head symbols.x=sm_count kernel=attend
}
void use(float* x, int n_head, int sm_count, bool persistent) {
    if (persistent) launch<Persistent>(x, n_head, sm_count);
    else launch<Plain>(x, n_head, sm_count);
}
