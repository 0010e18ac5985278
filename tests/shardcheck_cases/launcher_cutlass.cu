// The launch helpers of a library whose source is not there.
// options: --dim n_head=96:tp
#include <cutlass/cluster_launch.hpp>
template <typename P> __global__ void device_kernel(P params);
void by_library(float* params, int n_head, cudaStream_t stream) {
    dim3 grid(n_head, 2), block(128), cluster(2, 1, 1);
    cutlass::kernel_launch<Kernel>(grid, block, 0, stream, params, false);  // expect: optional collapses grid=(n_head, 2)
    cutlass::ClusterLaunchParams launch{grid, block, cluster, 0, stream};
    cutlass::launch_kernel_on_cluster(launch, (void*) device_kernel<float*>, params);  // expect: optional collapses grid=(n_head, 2)
}
