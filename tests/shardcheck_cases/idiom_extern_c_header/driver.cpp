#include "api.h"
void drive(float* x, int n_head) {
    start_gate(x, n_head, 128);
}
