// Members of the object itself, set in the constructor and elsewhere.
// options: --dim n_head=96:tp
__global__ void owned(float* x);
class Layer {
  public:
    Layer(int n_head, int ranks) : heads_(n_head), pairs_(2) { threads_ = 64; }
    void forward(float* x) {
        owned<<<dim3(heads_, pairs_), threads_>>>(x);  // expect: collapses grid=(n_head, 2)|(heads_, pairs_) symbols.x=heads_
        owned<<<this->heads_, 32>>>(x);  // expect: collapses grid=(n_head)|(heads_)|(this.heads_)
    }
  private:
    int heads_;
    int pairs_;
    int threads_;
};
