// options: --dim n_head=96:tp
// The chain runs over two files: roots are the last names inside this one.
__global__ void conv(float* x);
extern "C" void launch_conv(float* x, int channels, cudaStream_t stream) {
    dim3 grid(channels, 3);
    conv<<<grid, 128, 0, stream>>>(x);  // expect: collapses grid=(n_head, 3)|(model.n_head, 3) roots.x=channels symbols.x=channels,n_head|channels,model.n_head
}
