// Extents as an array of a tensor structure.
// options: --dim src0.ne[2]=96:tp --set src0.ne[3]=1
struct tensor { long ne[4]; size_t nb[4]; tensor* src[2]; };
__global__ void soft(float* x);
void soft_max(float* x, const tensor* dst) {
    const tensor* src0 = dst->src[0];
    const long ne02 = src0->ne[2];
    soft<<<dim3(1, ne02, src0->ne[3]), 128>>>(x);  // expect: GA401 roots.y=src0.ne[2]|dst.src[0].ne[2] symbols.y=ne02,src0.ne[2]
}
