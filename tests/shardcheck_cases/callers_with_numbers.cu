// A benchmark's main passes numbers; the parameter is the dimension all the same.
// options: --dim n_head=96:tp
__global__ void forward_kernel(float* x);
void forward(float* x, int batch, int n_head) {
    forward_kernel<<<dim3(batch, n_head), 64>>>(x);  // expect: collapses symbols.x=batch symbols.y=n_head sharded=n_head blocks=96/48/24/12
}
int main() {
    int n_head = 12;
    float* x = nullptr;
    forward(x, 1, n_head);
}
