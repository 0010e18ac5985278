// make_int2, make_uint2, make_int3 are as make_uint3.
__global__ void step(float* y);
void f(float* y, int n_head, int batch) {
    int2 g = make_int2(n_head, batch);
    step<<<dim3(g.x, g.y), 64>>>(y);  // expect: grid=(n_head, batch)
}
