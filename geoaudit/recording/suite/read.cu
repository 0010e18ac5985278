// Reads memory into the L2 and writes nothing. Loads go past the L1. The sum is stored where it has
// one value of 2^32, which no compiler can rule out, so that no load is left out.

typedef unsigned long long u64;

extern "C" __global__ void geoaudit_read(const uint4* in, u64 bytes, unsigned int* unused) {
    u64 stride = (u64)gridDim.x * blockDim.x;
    u64 first = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int sum = 0;
    for (u64 i = first; i < bytes / 16; i += stride) {
        uint4 four = __ldcg(in + i);
        sum += four.x ^ four.y ^ four.z ^ four.w;
    }
    const unsigned char* rest = (const unsigned char*)in + bytes / 16 * 16;
    if (first < bytes % 16) sum += __ldcg(rest + first);
    if (sum == 0x6E0A0D17u) *unused = sum;
}
