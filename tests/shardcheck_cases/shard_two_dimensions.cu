// Two sharded dimensions on two axes, over other ranks.
// options: --dim n_head=32:tp --dim n_expert=8:ep
__global__ void cross(float* x);
void crossed(float* x, int n_head, int n_expert) {
    cross<<<dim3(n_head, n_expert), 64>>>(x);  // expect: GA401 sharded=n_expert,n_head
}
