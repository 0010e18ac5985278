// Branches are guarded alternatives of one site.
// options: --dim n_head=96:tp
__global__ void route(float* x);

void branches(float* x, int n_head, int n_token, bool decode) {
    int blocks;
    if (n_token == 1) {
        blocks = n_head;
    } else if (n_token < 16) {
        blocks = n_head * 2;
    } else {
        blocks = n_head * 4;
    }
    route<<<blocks, 128>>>(x);  // expect: collapses grid=(n_head if n_token == 1 else (n_head * 2 if n_token < 16 else n_head * 4)) roots.x=n_head|n_head,n_token
    dim3 grid(n_head);
    if (decode) grid = dim3(n_head, 3);
    route<<<grid, 128>>>(x);  // expect: collapses grid=(n_head, one_of(3, 1))
}
