// Fills a buffer with numbers that depend on its seed and on the place alone: whatever the device,
// the launch shape, the length and the version of any library, the bytes are the same.
//
// Everything up to one multiplication and one addition in f64 is integer arithmetic; the result is
// rounded to f32 and from there to f16 or bf16, to nearest even.

typedef unsigned long long u64;
typedef unsigned int u32;

enum Type { F64, F32, F16, BF16, I64, U64, I32, U32, I8, U8 };
enum Rule { CONSTANT, NORMAL, UNIFORM, IOTA };

// SplitMix64, as a function of the place.
__device__ u64 hash(u64 seed, u64 place) {
    u64 z = seed + (place + 1) * 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

// The sum of four uniform 16-bit numbers, less its mean: nearly normal, within 3.5 deviations.
__device__ double centred_sum(u64 bits) {
    int sum = (int)(bits & 0xFFFF) + (int)(bits >> 16 & 0xFFFF) + (int)(bits >> 32 & 0xFFFF) +
              (int)(bits >> 48);
    return (double)(sum - 2 * 0xFFFF);
}

// Not contracted to a fused multiply-add: f64 as NumPy computes it.
__device__ double number(int rule, u64 seed, u64 place, double offset, double factor) {
    if (rule == CONSTANT) return offset;
    if (rule == IOTA) return (double)place;
    u64 bits = hash(seed, place);
    if (rule == NORMAL) return __dmul_rn(centred_sum(bits), factor);
    return __dadd_rn(offset, __dmul_rn((double)(bits >> 11) * 0x1p-53, factor));
}

__device__ unsigned short f16_bits(float value) {
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}

__device__ unsigned short bf16_bits(float value) {
    u32 bits = __float_as_uint(value);
    return (unsigned short)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

// offset and factor: of UNIFORM low and high - low; of CONSTANT the value and nothing; of NORMAL
// nothing and what makes the sum's deviation the wanted one. Integers are rounded down.
extern "C" __global__ void geoaudit_fill(void* out, u64 elements, u64 seed, int type, int rule,
                                         double offset, double factor) {
    u64 stride = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += stride) {
        double value = number(rule, seed, i, offset, factor);
        switch (type) {
            case F64: ((double*)out)[i] = value; break;
            case F32: ((float*)out)[i] = (float)value; break;
            case F16: ((unsigned short*)out)[i] = f16_bits((float)value); break;
            case BF16: ((unsigned short*)out)[i] = bf16_bits((float)value); break;
            case I64: ((long long*)out)[i] = (long long)floor(value); break;
            case U64: ((u64*)out)[i] = (u64)floor(value); break;
            case I32: ((int*)out)[i] = (int)floor(value); break;
            case U32: ((u32*)out)[i] = (u32)floor(value); break;
            case I8: ((signed char*)out)[i] = (signed char)(int)floor(value); break;
            case U8: ((unsigned char*)out)[i] = (unsigned char)(u32)floor(value); break;
        }
    }
}
