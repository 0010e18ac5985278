// A structure of launch parameters with a grid field, made and passed in one breath.
// options: --dim n_head=96:tp --set n_seq=1
struct launch_parameters {
    dim3 block_nums;
    dim3 block_dims;
    size_t nbytes_shared;
    cudaStream_t stream;
    launch_parameters(dim3 nums, dim3 dims, size_t bytes, cudaStream_t s) : block_nums(nums), block_dims(dims), nbytes_shared(bytes), stream(s) {}
};
template <typename K, typename... A>
static void launch_with(K kernel, const launch_parameters& params, A&&... a) {
    kernel<<<params.block_nums, params.block_dims, params.nbytes_shared, params.stream>>>(a...);  // expect: launcher
}
__global__ void scan(float* x);

void use(float* x, int n_head, int n_seq, cudaStream_t stream) {
    launch_with(scan, launch_parameters(dim3(n_seq, n_head), dim3(128), 0, stream), x);  // expect: collapses grid=(n_seq, n_head) kernel=scan launcher=launch_with
    const launch_parameters kept = {dim3(n_head, 3), dim3(64), 0, stream};
    launch_with(scan, kept, x);  // expect: collapses grid=(n_head, 3) kernel=scan
    launch_with(scan, {dim3(n_head), dim3(64), 0, stream}, x);  // expect: collapses grid=(n_head) kernel=scan
}
