// A node of a graph is a launch too, or is said not to be followed.
// options: --dim n_head=96:tp
#include <cuda_runtime.h>
__global__ void node(float* x);
void in_graph(cudaGraph_t graph, int n_head, void** arguments) {
    cudaKernelNodeParams params = {};
    params.func = (void*) node;
    params.gridDim = dim3(n_head);
    params.blockDim = dim3(64);
    params.kernelParams = arguments;
    cudaGraphNode_t added;
    cudaGraphAddKernelNode(&added, graph, nullptr, 0, &params);  // expect: optional collapses grid=(n_head)
}
