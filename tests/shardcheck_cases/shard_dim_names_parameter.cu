// --dim speaks of the parameter although the caller calls it otherwise.
// options: --dim rows=96:tp
struct HP { int count; };
__global__ void attend(float* x);
static void launch(float* x, int rows) {
    attend<<<rows, 64>>>(x);  // expect: GA401 sharded=rows blocks=96/48/24/12
}
void use(float* x, const HP& hp) { launch(x, hp.count); }
