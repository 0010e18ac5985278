// The grid is a field of an object that is a member of another.
// options: --dim n_head=96:tp
struct Shape { dim3 grid; dim3 block; };
struct Job { Shape shape; void* kernel; void** arguments; };

static void submit(const Job& job, cudaStream_t stream) {
    cudaLaunchKernel(job.kernel, job.shape.grid, job.shape.block, job.arguments, 0, stream);  // expect: launcher
}
__global__ void top_rows(float* x);
void use(void** arguments, int n_head, cudaStream_t stream) {
    Job job;
    job.kernel = (void*) top_rows;
    job.arguments = arguments;
    job.shape.grid = dim3(n_head, 2);
    job.shape.block = dim3(32);
    submit(job, stream);  // expect: collapses grid=(n_head, 2) kernel=top_rows launcher=submit
}
