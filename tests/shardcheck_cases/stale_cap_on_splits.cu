// A cap of splits that was right for one number of heads.
// options: --dim n_head=128:tp --set n_ctx=65536
#define MAX_SPLITS 4
__global__ void attend(float* x);
void capped(float* x, int n_head, int n_ctx, int sm_count) {
    int splits = (2 * sm_count) / n_head;
    splits = splits < 1 ? 1 : splits;
    splits = splits > MAX_SPLITS ? MAX_SPLITS : splits;
    attend<<<dim3(n_head, splits), 128>>>(x);  // expect: capped_by_constant|collapses GA404 blocks=256/256/128/64
}
