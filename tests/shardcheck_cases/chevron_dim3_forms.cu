// The ways to write a dim3.
// options: --dim n_head=96:tp --set rows=3
__global__ void gate(float* x);

void dim3_forms(float* x, int n_head, int rows) {
    dim3 constructed(n_head, rows);
    gate<<<constructed, 128>>>(x);  // expect: collapses grid=(n_head, rows) blocks=288/144/72/36
    dim3 braced{static_cast<unsigned>(n_head), 1u, unsigned(rows)};
    gate<<<braced, 128>>>(x);  // expect: collapses grid=(n_head, 1, rows)
    dim3 copied = dim3(n_head, rows, 1);
    gate<<<copied, 128>>>(x);  // expect: collapses grid=(n_head, rows)
    dim3 listed = {(unsigned) n_head, (unsigned) rows};
    gate<<<listed, 128>>>(x);  // expect: collapses grid=(n_head, rows)
    const auto deduced = dim3{(unsigned int) n_head};
    gate<<<deduced, 128>>>(x);  // expect: collapses grid=(n_head)
    dim3 converted = n_head;
    gate<<<converted, 128>>>(x);  // expect: collapses grid=(n_head)
    uint3 plain = make_uint3(n_head, rows, 1);
    gate<<<plain, 128>>>(x);  // expect: collapses grid=(n_head, rows)
    gate<<<{(unsigned) n_head, (unsigned) rows, 1}, 128>>>(x);  // expect: collapses grid=(n_head, rows)
    static const dim3 once(rows);
    gate<<<once, 128>>>(x);  // expect: constant|independent grid=(rows)
}
