// NH * (C / NH) is C, whatever NH is, if NH divides C.
// options: --dim NH=12:tp --dim hs=64 --set C=768 --shard tp=1,2,4
__global__ void residual(float* x);
void cancels(float* x, int B, int T, int C, int NH) {
    const int hs = C / NH;
    residual<<<B * T * NH * hs, 64>>>(x);  // expect: independent|compensated
    residual<<<(B * NH) * hs / 64, 64>>>(x);  // expect: independent|compensated
}
