// Half of 132 SMs is 66 blocks: at 66 nothing is said, at 65 it is.
// options: --dim n_head=528:tp --dim n_row=520:tp
__global__ void border(float* x);
void borders(float* x, int n_head, int n_row) {
    border<<<n_head, 128>>>(x);  // expect: shrinks blocks=528/264/132/66
    border<<<n_row, 128>>>(x);  // expect: GA401 blocks=520/260/130/65
}
