// min and max in every spelling are kept exact.
// options: --dim n_head=96:tp --set rows=100
__global__ void bounded(float* x);
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define IMAX(a, b) (((a) > (b)) ? (a) : (b))

void bounds(float* x, int n_head, int rows) {
    bounded<<<min(n_head, 64), 64>>>(x);  // expect: small grid=(min(n_head, 64)) blocks=64/48/24/12
    bounded<<<std::min(n_head * 2, rows), 64>>>(x);  // expect: collapses grid=(min(n_head * 2, rows)) blocks=100/96/48/24
    bounded<<<MIN(n_head, rows), 64>>>(x);  // expect: collapses grid=(min(n_head, rows)) blocks=96/48/24/12
    bounded<<<IMAX(n_head, 80), 64>>>(x);  // expect: shrinks grid=(max(n_head, 80)) blocks=96/80/80/80
    bounded<<<std::min({n_head, rows, 80}), 64>>>(x);  // expect: collapses grid=(min(n_head, rows, 80)) blocks=80/48/24/12
}
