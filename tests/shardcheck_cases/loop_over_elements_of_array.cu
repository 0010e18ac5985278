// s[i] is another element in each round.
__global__ void step(float* y);
void f(float* y, int n_head, int batch) {
    int s[3] = {n_head, batch, 2};
    int x = 1;
    for (int i = 0; i < 3; i++) x *= s[i];
    step<<<x, 64>>>(y);  // expect: unknown symbols.x=n_head,batch
}
