// Fields of parameters, by value, reference and pointer, nested.
// options: --dim params.h=96:tp --set params.b=1
struct Shape { int h, b; };
struct Params { Shape shape; int h; int b; int seqlen_q; };
__global__ void forward(float* x);

void by_reference(float* x, const Params& params) {
    dim3 grid((params.seqlen_q + 63) / 64, params.b, params.h);
    forward<<<grid, 128>>>(x);  // expect: collapses|shrinks|small grid=(cdiv(params.seqlen_q, 64), params.b, params.h) roots.x=params.seqlen_q roots.y=params.b roots.z=params.h sharded=h
}
void by_pointer(float* x, Params* params) {
    forward<<<dim3(params->h, params->b), 128>>>(x);  // expect: collapses grid=(params.h, params.b) roots.x=params.h
    forward<<<params->shape.h, 128>>>(x);  // expect: independent|collapses grid=(params.shape.h) roots.x=params.shape.h
}
