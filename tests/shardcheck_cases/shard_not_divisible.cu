// 96 heads go over 1, 2, 4 and 8 ranks; 100 do not go over 8.
// options: --dim n_head=100:tp --dim kv_head=4:tp --set d=512
__global__ void attend(float* x);
void uneven(float* x, int n_head, int d) {
    attend<<<dim3(n_head, d), 64>>>(x);  // expect: shrinks GA403 grid=(n_head, d)
}
void fewer_than_ranks(float* x, int kv_head, int d) {
    attend<<<dim3(kv_head, d), 64>>>(x);  // expect: shrinks|collapses|unknown GA403 GA401? GA405? grid=(kv_head, d)
}
