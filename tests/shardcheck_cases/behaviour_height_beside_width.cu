// `h` is heads where nothing says otherwise, and a height beside a width.
__global__ void cast(float* x);
__global__ void attend(float* x);
void tiles(float* x, int h, int w) {
    cast<<<dim3((w + 15) / 16, (h + 15) / 16), 128>>>(x);  // expect: independent sharded=-
}
void heads(float* x, int h, int b) {
    attend<<<dim3(b, h), 128>>>(x);  // expect: shrinks sharded=h
}
