#include "decode.cuh"
void run_decode(DecodeParams& params) { launch_decode<float>(params); }
