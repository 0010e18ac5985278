// A divisor found by a loop; the axis it makes is still a number at each rank.
// options: --dim rows=192:tp
__global__ void rope(float* x);
void pick_divisor(float* x, int rows) {
    int per_block = 8;
    while (rows % per_block != 0) per_block /= 2;
    dim3 grid;
    grid.x = 1;
    grid.y = rows / per_block;
    grid.z = 2;
    rope<<<grid, 64>>>(x);  // expect: small roots.y=rows blocks=48/24/12/6
}
