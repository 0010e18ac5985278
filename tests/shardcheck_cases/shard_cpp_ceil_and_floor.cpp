// Shares in C++: rounded up, at least one, by a helper.
// options: --set total=70 --set kv=4
__global__ void attend(float* x);
inline int divide(int a, int b) { check(a % b == 0); return a / b; }
void shares(float* x, int total, int kv, int tp_size) {
    attend<<<(total + tp_size - 1) / tp_size, 64>>>(x);  // expect: GA401 blocks=70/35/18/9 rounding=ceil
    attend<<<dim3(std::max(1, kv / tp_size), 32), 64>>>(x);  // expect: GA401 blocks=128/64/32/32 rounding=at_least_one
    const int local = divide(total * 4, tp_size);
    attend<<<local, 64>>>(x);  // expect: GA401 blocks=280/140/70/35
}
