// A dim3 without a value is 1, 1, 1 until a member says otherwise.
// options: --dim n_head=96:tp
__global__ void gate(float* x);

void member_by_member(float* x, int n_head, int batch) {
    dim3 grid;
    grid.x = n_head;
    grid.z = 2;
    gate<<<grid, 256>>>(x);  // expect: collapses grid=(n_head, 1, 2) blocks=192/96/48/24
    dim3 untouched;
    gate<<<untouched, 256>>>(x);  // expect: constant grid=(1, 1, 1)
    dim3 pair(n_head), copy = pair;
    copy.y = 3;
    gate<<<pair, 256>>>(x);  // expect: collapses grid=(n_head)
    gate<<<copy, 256>>>(x);  // expect: collapses grid=(n_head, 3)
}
