// y and z hold 65,535 blocks; x holds two thousand million.
// options: --set n_token=70000
__global__ void tall(float* x);
void limits(float* x, int n_token) {
    tall<<<dim3(1, 65535), 128>>>(x);  // expect: constant
    tall<<<dim3(1, 65536), 128>>>(x);  // expect: constant GA405 grid=(1, 65536)
    tall<<<dim3(1, 1, 65536), 128>>>(x);  // expect: constant GA405
    tall<<<65536, 128>>>(x);  // expect: constant
    tall<<<dim3(1, n_token), 128>>>(x);  // expect: independent GA405 grid=(1, n_token)
    tall<<<dim3(n_token, 1), 128>>>(x);  // expect: independent
}
