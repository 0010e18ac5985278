// options: --dim n_head=96:tp
// Called by the model with a field and by a test with a number: both values, and the field is not lost.
__global__ void forward_kernel(float* x);
void forward(float* x, int heads) {
    forward_kernel<<<heads, 64>>>(x);  // expect: collapses|shrinks|small symbols.x=heads,config.n_head|heads,model.config.n_head sharded=n_head|heads
}
