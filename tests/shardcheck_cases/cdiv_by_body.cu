// Ceiling divisions under odd names: the body says it.
// options: --dim n_head=97:tp
__global__ void part(float* x);
static int portions(int whole, int piece) { return (whole + piece - 1) / piece; }
template <typename A, typename B> constexpr A chunks_of(A a, B b) { return a / b + (a % b != 0); }
inline int pages(int a, int b) { return 1 + (a - 1) / b; }
inline unsigned bins(unsigned a, unsigned b) { return a % b == 0 ? a / b : a / b + 1; }
#define SLICES(a, b) (((a) + (b) - 1) / (b))
static int with_float(int a, int b) { return (int) ceilf((float) a / b); }

void by_body(float* x, int n_head) {
    part<<<portions(n_head, 4), 64>>>(x);  // expect: small GA403? grid=(cdiv(n_head, 4)) blocks=25/?/?/?
    part<<<chunks_of(n_head, 4), 64>>>(x);  // expect: small GA403? grid=(cdiv(n_head, 4))
    part<<<pages(n_head, 4), 64>>>(x);  // expect: small GA403? grid=(cdiv(n_head, 4))
    part<<<bins(n_head, 4), 64>>>(x);  // expect: small GA403? grid=(cdiv(n_head, 4))
    part<<<SLICES(n_head, 4), 64>>>(x);  // expect: small GA403? grid=(cdiv(n_head, 4))
    part<<<with_float(n_head, 4), 64>>>(x);  // expect: small GA403? grid=(cdiv(n_head, 4))
    part<<<(n_head + 3) / 4, 64>>>(x);  // expect: small GA403? grid=(cdiv(n_head, 4))
    part<<<(n_head - 1) / 4 + 1, 64>>>(x);  // expect: small GA403? grid=(cdiv(n_head, 4))
}
