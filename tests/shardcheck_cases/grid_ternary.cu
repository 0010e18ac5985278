// Ternaries are guarded alternatives, and are decided where the condition is known.
// options: --dim n_head=96:tp --set wide=1
__global__ void pick(float* x);

void ternaries(float* x, int n_head, int wide, int mode) {
    pick<<<wide ? n_head : 1, 128>>>(x);  // expect: collapses grid=(n_head if wide else 1) blocks=96/48/24/12
    const int columns = mode > 0 ? 2 : 3;
    pick<<<dim3(n_head, columns), 128>>>(x);  // expect: collapses grid=(n_head, 2 if mode > 0 else 3)
    dim3 grid = mode == 7 ? dim3(n_head, 4) : dim3(n_head);
    pick<<<grid, 128>>>(x);  // expect: collapses grid=(n_head, 4 if mode == 7 else 1)
}
