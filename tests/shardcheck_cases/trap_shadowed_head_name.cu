// A head-like name that is not divided: it is assigned from tokens.
// options: --dim n_head=96:tp
__global__ void tokens(float* x);
void misnamed(float* x, int n_token) {
    int n_head = n_token;
    tokens<<<n_head, 64>>>(x);  // expect: independent|shrinks|collapses|small grid=(n_token) roots.x=n_token
}
