// A constant equal to a model dimension before it was sharded.
// options: --dim n_head=96:tp --set n_layer=61
__global__ void attend(float* x);
constexpr int kHeads = 96;
void unsharded(float* x, int n_token) {
    attend<<<dim3(kHeads, n_token), 128>>>(x);  // expect: independent|constant|capped_by_constant GA404 grid=(96, n_token)
}
