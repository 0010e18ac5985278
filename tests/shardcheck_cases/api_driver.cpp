// The driver's functions: six numbers, or a structure of them.
// options: --dim n_head=96:tp
#include <cuda.h>

CUresult by_driver(CUfunction function, int n_head, int rows, CUstream stream, void** arguments) {
    cuLaunchKernel(function, n_head, rows, 1, 128, 1, 1, 0, stream, arguments, nullptr);  // expect: collapses|shrinks|small grid=(n_head, rows, 1) block=(128, 1, 1) idiom=cuLaunchKernel roots.x=n_head roots.y=rows
    CUlaunchConfig config = {0};
    config.gridDimX = n_head;
    config.gridDimY = 2;
    config.gridDimZ = 1;
    config.blockDimX = 256;
    config.blockDimY = config.blockDimZ = 1;
    cuLaunchKernelEx(&config, function, arguments, nullptr);  // expect: GA401 grid=(n_head, 2, 1) block=(256, 1, 1) idiom=cuLaunchKernelEx
    return cuLaunchCooperativeKernel(function, n_head, 1, 1, 64, 1, 1, 0, stream, arguments);  // expect: GA401 grid=(n_head)
}
