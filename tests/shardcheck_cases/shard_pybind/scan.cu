// options: --set inner=512
__global__ void scan_kernel(float* x);
void scan_forward(torch::Tensor x, int rows, int columns) {
    scan_kernel<<<dim3(columns, 1), 64>>>(x.data_ptr<float>());  // expect: small|collapses sharded=width|columns roots.x=columns blocks=512/256/128/64
}
