// The same where the macro keeps the error.
__global__ void step(float* y);
#define CHECK(call) do { cudaError_t error = (call); if (error != cudaSuccess) abort(); } while (0)
void f(float* y, int n_head) {
    int sms = 0;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    step<<<sms * n_head, 64>>>(y);  // expect: grid=(sm_count * n_head)
}
