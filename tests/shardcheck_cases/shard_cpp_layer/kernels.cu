__global__ void attend(float* x);
void invoke_attend(float* x, int heads, int rows) {
    dim3 grid(heads, rows);
    attend<<<grid, 64>>>(x);  // expect: collapses roots.x=heads roots.y=rows blocks=192/96/48/24
}
