// Splits double while blocks are missing: the product refills from a target.
// options: --dim n_head=96:tp --set n_ctx=65536
__global__ void split_attend(float* x);

void grown(float* x, int n_head, int n_ctx, int sm_count) {
    int splits = 1;
    while (n_head * splits < 2 * sm_count && splits * 256 < n_ctx) {
        splits *= 2;
    }
    split_attend<<<dim3(n_head, splits), 128>>>(x);  // expect: compensated sharded=n_head roots.x=n_head blocks=384/384/384/384
}
