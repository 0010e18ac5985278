// An extent that nothing gives: the condition under which the grid collapses is said.
// options: --dim n_head=96:tp
__global__ void split(float* x);
void conditional(float* x, int n_head, int splits) {
    split<<<dim3(n_head, splits), 128>>>(x);  // expect: collapses|shrinks|small grid=(n_head, splits) sharded=n_head condition~splits
}
