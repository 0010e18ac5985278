// A sharded dimension beside a call that is not followed: it still shrinks.
// options: --dim n_head=96:tp
#include "elsewhere.h"
__global__ void opaque(float* x);
void beside(float* x, int n_head, const char* path) {
    opaque<<<dim3(n_head, rows_of(path)), 256>>>(x);  // expect: collapses|small|shrinks|unknown sharded=n_head roots.x=n_head
}
