// Blocks an SM from the occupancy query times the SM count: independent of heads.
__global__ void persist(float* x);

void persistent(float* x, int device) {
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, device);
    int per_sm = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, persist, 256, 0);
    persist<<<per_sm * properties.multiProcessorCount, 256>>>(x);  // expect: independent sharded=-
    int sm_count;
    cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device);
    persist<<<sm_count, 256>>>(x);  // expect: independent grid=(sm_count)
}
