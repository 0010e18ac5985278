// A table of kernels, one and two levels deep, templates among its entries.
// options: --dim n_expert=128:ep --shard ep=1,2,4,8
typedef void (*moe_kernel_t)(const float*, float*);
template <int BITS> __global__ void expert_rows(const float* in, float* out);
static const moe_kernel_t by_bits[] = {expert_rows<2>, expert_rows<4>, expert_rows<8>};
static moe_kernel_t by_size_and_bits[2][3] = {};

void from_table(const float* in, float* out, int bits, int n_expert) {
    by_bits[bits >> 2]<<<n_expert, 64>>>(in, out);  // expect: GA401 grid=(n_expert) sharded=n_expert by=ep blocks=128/64/32/16
    by_size_and_bits[1][bits >> 2]<<<dim3(n_expert, 2), 64>>>(in, out);  // expect: GA401 grid=(n_expert, 2) blocks=256/128/64/32
}
