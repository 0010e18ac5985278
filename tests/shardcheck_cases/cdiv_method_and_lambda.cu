// Ceiling divisions as a static method, a lambda and through a template constant.
// options: --dim n_head=96:tp
__global__ void part(float* x);
struct Round { static int up(int a, int b) { return (a + b - 1) / b; } };
template <int N> int over(int a) { return (a + N - 1) / N; }

void others(float* x, int n_head) {
    part<<<Round::up(n_head, 4), 64>>>(x);  // expect: small grid=(cdiv(n_head, 4))
    auto share = [](int a, int b) { return (a + b - 1) / b; };
    part<<<share(n_head, 5), 64>>>(x);  // expect: small grid=(cdiv(n_head, 5)) blocks=20/10/5/3
    part<<<over<7>(n_head), 64>>>(x);  // expect: small grid=(cdiv(n_head, 7)) blocks=14/7/4/2
}
