// A dimension whose name says nothing is sharded when an option says so.
// options: --dim C=4096:tp
__global__ void rows(float* x);
void plain_names(float* x, int C, int T) {
    rows<<<C / 32, 64>>>(x);  // expect: GA401 sharded=C blocks=128/64/32/16
    rows<<<T, 64>>>(x);  // expect: independent sharded=-
}
