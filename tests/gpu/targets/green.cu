// A launch in a green context of 16 SMs.
#include <cuda.h>
#include <cstdio>

__global__ void in_green(int *p) { *p = 1; }

#define OK(call)                                                                                  \
    if (CUresult result = (call)) {                                                               \
        std::fprintf(stderr, "%s: %d\n", #call, result);                                          \
        return 1;                                                                                 \
    }

int main()
{
    CUdevice device;
    CUcontext context;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    CUdevResource all, part;
    OK(cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM));
    unsigned groups = 1;
    OK(cuDevSmResourceSplitByCount(&part, &groups, &all, nullptr, 0, 16));
    CUdevResourceDesc description;
    OK(cuDevResourceGenerateDesc(&description, &part, 1));
    CUgreenCtx green;
    OK(cuGreenCtxCreate(&green, description, device, CU_GREEN_CTX_DEFAULT_STREAM));
    CUcontext inside;
    OK(cuCtxFromGreenCtx(&inside, green));
    OK(cuCtxSetCurrent(inside));
    int *p;
    cudaMalloc(&p, 4);
    for (int i = 0; i < 20; i++)
        in_green<<<16, 64>>>(p);
    return cudaDeviceSynchronize() != cudaSuccess;
}
