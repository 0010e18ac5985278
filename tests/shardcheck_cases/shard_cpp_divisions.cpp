// Divisions in C++: a member's, a world size with a trailing underscore, a band helper.
// options: --set head_num=96 --set vocab=1024
#include "parallel.h"
__global__ void attend(float* x);
struct Tensor_para { int rank_; int world_size_; };

void forward(float* x, int head_num, Tensor_para tensor_para) {
    const int local_head_num = head_num / tensor_para.world_size_;
    attend<<<local_head_num, 64>>>(x);  // expect: GA401 by=tp blocks=96/48/24/12
}
void project(float* x, int vocab, int tp_size) {
    attend<<<vocab / tp_size / 4, 64>>>(x);  // expect: GA401 grid=(vocab // tp_size // 4) blocks=256/128/64/32
}
