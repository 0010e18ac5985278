// A call within a checking macro of the file writes its argument.
__global__ void step(float* y);
#define CHECK(call) do { if ((call) != cudaSuccess) abort(); } while (0)
void f(float* y, int n_head) {
    int sms = 0;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    step<<<sms * n_head, 64>>>(y);  // expect: compensated|shrinks grid=(sm_count * n_head)
}
