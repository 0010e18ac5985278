// Another device, another half.
// options: --dim n_head=96:tp --device B200
__global__ void wide(float* x);
void on_b200(float* x, int n_head) {
    wide<<<dim3(n_head, 6), 128>>>(x);  // expect: GA401 blocks=576/288/144/72
    wide<<<dim3(n_head, 7), 128>>>(x);  // expect: shrinks blocks=672/336/168/84
}
