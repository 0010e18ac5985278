// The body of a macro uses a grid of the place where the macro is used.
// options: --dim num_heads=96:tp --set num_seqs=1
template <int D> __global__ void paged(float* x, int n);

#define LAUNCH_PAGED(D)                                        \
    paged<D><<<grid, block, shared, stream>>>(x, num_heads); /* expect: shrinks|collapses|small grid=(num_heads, num_seqs, cdiv(max_len, 512)) roots.x=num_heads roots.y=num_seqs roots.z=max_len kernel=paged */

void attention(float* x, int num_heads, int num_seqs, int max_len, int d, cudaStream_t stream) {
    int shared = 0;
    dim3 grid(num_heads, num_seqs, (max_len + 511) / 512);
    dim3 block(128);
    switch (d) {
        case 64: LAUNCH_PAGED(64); break;
        case 128: LAUNCH_PAGED(128); break;
    }
}
