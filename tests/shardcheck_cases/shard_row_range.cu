// The rows of a weight between this rank's first and last.
__global__ void multiply(float* x);
void row_range(float* x, long row_low, long row_high, int batch) {
    const long row_diff = row_high - row_low;
    multiply<<<dim3(row_diff, batch), 64>>>(x);  // expect: collapses|small|shrinks grid=(row_high - row_low, batch) sharded=row_diff|row_high,row_low|row_high|row_high-row_low
}
