#include "params.h"
// The split that refills the device is set in another file.
template <int kRows> __global__ void decode_parts(DecodeParams params);

template <typename T> void launch_decode(DecodeParams& params) {
    decode_parts<64><<<dim3((params.rows + 63) / 64, params.h_k, params.parts), 128>>>(params);  // expect: compensated
}
