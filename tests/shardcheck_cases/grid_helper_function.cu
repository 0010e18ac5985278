// A grid from a function, a static method and a method.
// options: --dim n_head=96:tp
__global__ void tile(float* x);
struct SingleTile {
    static dim3 grid_shape(int heads, int batch) { return dim3(heads, batch); }
};
struct Work {
    int heads;
    explicit Work(int h) : heads(h) {}
    dim3 grid() const { return dim3(heads, 2); }
};
static inline int blocks_for(int heads) { return heads * 2; }
void use(float* x, int n_head) {
    tile<<<blocks_for(n_head), 64>>>(x);  // expect: collapses grid=(n_head * 2)
    tile<<<SingleTile::grid_shape(n_head, 1), 64>>>(x);  // expect: collapses grid=(n_head, 1)
    Work work(n_head);
    tile<<<work.grid(), 64>>>(x);  // expect: collapses grid=(n_head, 2)
}
