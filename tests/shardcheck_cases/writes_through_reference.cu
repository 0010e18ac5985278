// r is another name of tiles.
__global__ void step(float* y);
void f(float* y, int batch, int n_head) {
    int tiles = batch;
    int& r = tiles;
    r = n_head;
    step<<<tiles, 64>>>(y);  // expect: grid=(n_head)
}
