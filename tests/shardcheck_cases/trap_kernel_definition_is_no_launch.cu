// Bounds, clusters and instantiations are declarations.
__global__ void __launch_bounds__(256, 2) bounded(float* x) { x[threadIdx.x] *= gridDim.x; }  // expect: none
template <int N> __global__ void __cluster_dims__(2, 1, 1) clustered(float* x) {}  // expect: none
template __global__ void clustered<4>(float*);  // expect: none
__device__ int blocks_here(int n_head) { return gridDim.x * n_head; }  // expect: none
