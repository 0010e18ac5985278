// What cannot be followed is unknown, with its reason.
#include "elsewhere.h"
__global__ void opaque(float* x);
void not_followed(float* x, const char* path) {
    opaque<<<read_grid_from_file(path), 256>>>(x);  // expect: unknown
    opaque<<<secret_table[hash(path)], 256>>>(x);  // expect: unknown|independent
}
