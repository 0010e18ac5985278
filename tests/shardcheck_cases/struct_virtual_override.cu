// A method that is overridden is called by the class of its object.
__global__ void step(float* y);
struct Base {
    virtual int rows(int n) { return n; }
    int twice(int n) { return rows(n) * 2; }
};
struct Derived : Base { int rows(int n) override { return n * 3; } };
void f(float* y, int n_head) {
    Derived d;
    step<<<d.twice(n_head), 64>>>(y);  // expect: grid=(n_head * 6)
}
