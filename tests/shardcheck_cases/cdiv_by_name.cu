// Ceiling divisions under the usual names, whose bodies are elsewhere.
// options: --dim n_head=96:tp
#include "elsewhere.h"
__global__ void part(float* x);

void named(float* x, int n_head) {
    part<<<cdiv(n_head, 2), 64>>>(x);  // expect: small grid=(cdiv(n_head, 2)) blocks=48/24/12/6
    part<<<ceil_div(n_head * 3, 2), 64>>>(x);  // expect: collapses grid=(cdiv(n_head * 3, 2))
    part<<<CEIL_DIV(n_head, 5), 64>>>(x);  // expect: small grid=(cdiv(n_head, 5)) blocks=20/10/5/3
    part<<<DIVUP(n_head, 2), 64>>>(x);  // expect: small grid=(cdiv(n_head, 2))
    part<<<div_up(n_head, 2), 64>>>(x);  // expect: small grid=(cdiv(n_head, 2))
    part<<<at::ceil_div(n_head, 2), 64>>>(x);  // expect: small grid=(cdiv(n_head, 2))
    part<<<cute::ceil_div(n_head, cute::Int<2>{}), 64>>>(x);  // expect: small grid=(cdiv(n_head, 2))
}
