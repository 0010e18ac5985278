// A parameter structure that the caller fills.
// options: --dim n_head=96:tp
struct Args { int rows; int batch; float* out; };
__global__ void scan(float* x);

static void launch_scan(const Args& args) {
    scan<<<dim3(args.batch, args.rows), 64>>>(args.out);  // expect: collapses grid=(1, n_head) roots.y=n_head symbols.y=args.rows,n_head
}
void outer(float* x, int n_head) {
    Args args;
    args.rows = n_head;
    args.batch = 1;
    args.out = x;
    launch_scan(args);
}
