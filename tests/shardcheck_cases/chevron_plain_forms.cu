// Every spelling of the chevrons themselves.
// options: --dim n_head=96:tp
__global__ void scale_rows(float* x, int n);
template <int W> __global__ void scale_wide(float* x, int n);
namespace rows { __global__ void shift(float* x); }

void plain_forms(float* x, int n, int n_head, size_t shared, cudaStream_t stream) {
    scale_rows<<<n_head, 128>>>(x, n);  // expect: GA401 grid=(n_head) block=(128) kernel=scale_rows idiom=chevron blocks=96/48/24/12
    scale_rows<<<n_head, 128, 0>>>(x, n);  // expect: GA401 grid=(n_head)
    scale_rows<<<n_head, 128, shared, stream>>>(x, n);  // expect: GA401 grid=(n_head) roots.x=n_head sharded=n_head
    scale_wide<4><<<n_head, 128, 0, stream>>>(x, n);  // expect: GA401 grid=(n_head) kernel=scale_wide
    scale_wide<(8 > 4 ? 8 : 4)><<<n_head, 128>>>(x, n);  // expect: GA401 grid=(n_head) kernel=scale_wide
    rows::shift<<<n_head, 64>>>(x);  // expect: GA401 grid=(n_head) kernel=shift
    ::rows::shift<<<dim3(n_head), dim3(64)>>>(x);  // expect: GA401 grid=(n_head) kernel=shift
    scale_rows <<< n_head , 128 >>> (x, n);  // expect: GA401 grid=(n_head)
    scale_rows<<<n_head << 1, 128>>>(x, n);  // expect: GA401 grid=(n_head * 2)
    scale_rows<<<(n_head >> 1), 128>>>(x, n);  // expect: GA402 grid=(n_head // 2) blocks=48/24/12/6
}
