// --dim speaks of the name that the caller passes, or of the parameter's.
// options: --dim hp.heads=96:tp
struct HP { int heads; };
__global__ void attend(float* x);
static void launch(float* x, int rows) {
    attend<<<rows, 64>>>(x);  // expect: GA401 sharded=heads blocks=96/48/24/12
}
void use(float* x, const HP& hp) { launch(x, hp.heads); }
