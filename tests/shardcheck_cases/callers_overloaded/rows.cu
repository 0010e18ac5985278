// options: --dim n_head=96:tp
// The caller in the other file calls the overload of three arguments.
__global__ void rows_kernel(float* x);
void launch_rows(float* x, int rows) {
    rows_kernel<<<rows, 64>>>(x);  // expect: independent grid=(rows) roots.x=rows not.x=n_head
}
void launch_rows(float* x, int rows, int columns) {
    rows_kernel<<<dim3(columns, rows), 64>>>(x);  // expect: collapses grid=(2, n_head) roots.y=rows symbols.y=rows,n_head
}
