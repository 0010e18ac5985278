// options: --set head_num=96
#pragma once
struct Comm { int rank; int world_size; };
class AttentionLayer {
  public:
    AttentionLayer(int head_num, Comm comm) : head_num_(head_num), local_head_num_(head_num / comm.world_size) {}
    void forward(float* x);
  private:
    int head_num_;
    int local_head_num_;
};
