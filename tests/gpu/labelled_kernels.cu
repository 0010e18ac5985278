// Bodies of the labelled set's kernels; labelled_cases.py writes a kernel of its own name around each.
//
// A launch has work of `items` items. A block does items first, first + step, ...: with
// (blockIdx.x, gridDim.x) any block count does the same work. All memory holds zeros, which the
// compiler does not know: sums and what is added to an index stay zero, and what is written only
// where a sum is not zero is never written.

#define PARAMETERS \
    const float *in, float *out, const int *flags, int items, int rounds, int width

using Index = long long;

__device__ __forceinline__ float sum_of(float4 v) { return (v.x + v.y) + (v.z + v.w); }

// The vectors i, i + blockDim.x, ... of `count`, all asked for before the first is there.
template <int DEPTH>
__device__ __forceinline__ void load(float4 *loaded, const float4 *from, int i, int count) {
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
        const int at = i + d * blockDim.x;
        loaded[d] = at < count ? from[at] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
}

template <int DEPTH>
__device__ __forceinline__ void store(float4 *to, const float4 *loaded, int i, int count) {
#pragma unroll
    for (int d = 0; d < DEPTH; ++d) {
        const int at = i + d * blockDim.x;
        if (at < count) to[at] = loaded[d];
    }
}

// An item is `rounds` vectors of 16 bytes, read once; a thread has DEPTH of them in flight.
template <int DEPTH>
__device__ __forceinline__ void stream(
    const float *in, float *out, int items, int rounds, int first, int step) {
    const float4 *vectors = reinterpret_cast<const float4 *>(in);
    float sum = 0.0f;
    for (int item = first; item < items; item += step) {
        const float4 *own = vectors + static_cast<Index>(item) * rounds;
#pragma unroll 1
        for (int i = threadIdx.x; i < rounds; i += DEPTH * blockDim.x) {
            float4 loaded[DEPTH];
            load<DEPTH>(loaded, own, i, rounds);
#pragma unroll
            for (int d = 0; d < DEPTH; ++d) sum += sum_of(loaded[d]);
        }
    }
    if (sum != 0.0f) out[threadIdx.x] = sum;
}

// The same, and each vector written.
template <int DEPTH>
__device__ __forceinline__ void copy(
    const float *__restrict__ in, float *__restrict__ out, int items, int rounds, int first,
    int step) {
    const float4 *from = reinterpret_cast<const float4 *>(in);
    float4 *to = reinterpret_cast<float4 *>(out);
    for (int item = first; item < items; item += step) {
        const Index begin = static_cast<Index>(item) * rounds;
#pragma unroll 1
        for (int i = threadIdx.x; i < rounds; i += DEPTH * blockDim.x) {
            float4 loaded[DEPTH];
            load<DEPTH>(loaded, from + begin, i, rounds);
            store<DEPTH>(to + begin, loaded, i, rounds);
        }
    }
}

// Two inputs, `apart` vectors apart, and one output.
__device__ __forceinline__ void triad(
    const float *__restrict__ in, float *__restrict__ out, int items, int rounds, Index apart,
    int first, int step) {
    const float4 *from = reinterpret_cast<const float4 *>(in);
    float4 *to = reinterpret_cast<float4 *>(out);
    for (int item = first; item < items; item += step) {
        const Index begin = static_cast<Index>(item) * rounds;
#pragma unroll 1
        for (int i = threadIdx.x; i < rounds; i += 2 * blockDim.x) {
            float4 a[2], b[2];
            load<2>(a, from + begin, i, rounds);
            load<2>(b, from + apart + begin, i, rounds);
#pragma unroll
            for (int d = 0; d < 2; ++d) {
                a[d].x += 2 * b[d].x, a[d].y += 2 * b[d].y;
                a[d].z += 2 * b[d].z, a[d].w += 2 * b[d].w;
            }
            store<2>(to + begin, a, i, rounds);
        }
    }
}

// An item is, for each thread of a block, a chain of `rounds` loads, each of whose addresses needs
// the one before; every load is of a line of its own, of 4 bytes a thread.
__device__ __forceinline__ void chain(
    const float *in, float *out, int items, int rounds, int first, int step) {
    const volatile int *data = reinterpret_cast<const volatile int *>(in);
    const int stride = items * blockDim.x;
    int carry = 0;
    for (int item = first; item < items; item += step) {
        int at = item * blockDim.x + threadIdx.x + carry;
#pragma unroll 1
        for (int r = 0; r < rounds; ++r) {
            carry = data[at];
            at += stride + carry;
        }
    }
    if (carry != 0) out[threadIdx.x] = carry;
}

// The chain with LIVE values that were loaded before it, from shared memory, which is quick: summed
// before it (KEPT = false), or after it, so that they stay in registers meanwhile.
template <int LIVE, bool KEPT>
__device__ __forceinline__ void chain_beside(
    const float *in, float *out, int items, int rounds, int first, int step) {
    __shared__ volatile float values[32];
    if (threadIdx.x < 32) values[threadIdx.x] = 0.0f;
    __syncthreads();
    float live[LIVE], sum = 0.0f;
#pragma unroll
    for (int i = 0; i < LIVE; ++i) {
        live[i] = values[(threadIdx.x + i) % 32];
        if (!KEPT) sum += live[i];
    }
    if (!KEPT && sum != 0.0f) out[threadIdx.x] = sum;
    chain(in, out, items, rounds, first, step);
    if constexpr (KEPT) {
#pragma unroll
        for (int i = 0; i < LIVE; ++i) sum += live[i];
        if (sum != 0.0f) out[threadIdx.x] = sum;
    }
}

enum Unit { FMA32, FMA64, SPECIAL };

template <Unit UNIT> struct Number { using Type = float; };
template <> struct Number<FMA64> { using Type = double; };

template <Unit UNIT, class T> __device__ __forceinline__ T stepped(T x, T a) {
    if constexpr (UNIT == SPECIAL) {
        asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
        return x;
    } else {
        return x * a + a;
    }
}

// An item is, for each thread of a block, `rounds` operations in each of WAYS independent chains,
// and one result.
template <Unit UNIT, int WAYS>
__device__ __forceinline__ void compute(float *out, int items, int rounds, int first, int step) {
    using T = typename Number<UNIT>::Type;
    const T a = static_cast<T>(0.5f + rounds * 1e-9f);
    T x[WAYS];
#pragma unroll
    for (int i = 0; i < WAYS; ++i) x[i] = static_cast<T>(threadIdx.x + i);
    for (int item = first; item < items; item += step) {
#pragma unroll 8
        for (int r = 0; r < rounds; ++r) {
#pragma unroll
            for (int i = 0; i < WAYS; ++i) x[i] = stepped<UNIT, T>(x[i], a);
        }
        T sum = 0;
#pragma unroll
        for (int i = 0; i < WAYS; ++i) sum += x[i];
        out[item * blockDim.x + threadIdx.x] = static_cast<float>(sum);
    }
}

// An item is, for each warp of a block, `rounds` products of 16 x 16 and 16 x 8 halves in each of
// eight independent sums, on the tensor cores, and one result a thread.
__device__ __forceinline__ void tensor(float *out, int items, int rounds, int first, int step) {
    float sum[8][4] = {};
    unsigned a[4], b[2];
    for (int i = 0; i < 4; ++i) a[i] = threadIdx.x & 1;
    for (int i = 0; i < 2; ++i) b[i] = threadIdx.x & 1;
    for (int item = first; item < items; item += step) {
#pragma unroll 2
        for (int r = 0; r < rounds; ++r) {
#pragma unroll
            for (int i = 0; i < 8; ++i)
                asm volatile(
                    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                    "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                    : "+f"(sum[i][0]), "+f"(sum[i][1]), "+f"(sum[i][2]), "+f"(sum[i][3])
                    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        }
        float total = 0.0f;
#pragma unroll
        for (int i = 0; i < 8; ++i) total += sum[i][0] + sum[i][1] + sum[i][2] + sum[i][3];
        out[item * blockDim.x + threadIdx.x] = total;
    }
}

// Each warp asks `rounds` times for one word of its own, in the L2 after the first time, and needs
// each answer for the next address.
__device__ __forceinline__ void serial_load(const float *in, float *out, int rounds) {
    const int *data = reinterpret_cast<const int *>(in);
    int at = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 8;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
        int value;
        asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(value) : "l"(data + at));
        at += value;
    }
    if (at < 0) out[threadIdx.x] = at;
}

// `rounds` multiplications and additions, each of the result of the one before.
__device__ __forceinline__ void serial_multiply(float *out, int rounds) {
    const float a = 0.5f + rounds * 1e-9f;
    float x = threadIdx.x;
#pragma unroll 8
    for (int r = 0; r < rounds; ++r) x = x * a + a;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__device__ __forceinline__ float block_sum(float value) {
    __shared__ float parts[32];
    for (int far = 16; far > 0; far /= 2) value += __shfl_xor_sync(~0u, value, far);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x % 32] : 0.0f;
    if (threadIdx.x < 32)
        for (int far = 16; far > 0; far /= 2) value += __shfl_xor_sync(~0u, value, far);
    if (threadIdx.x == 0) parts[0] = value;
    __syncthreads();
    return parts[0];
}

// The sum of a row of `rounds` numbers by one block: 4 bytes a load, one in flight; WIDE: 16
// bytes, several in flight.
template <bool WIDE> __device__ __forceinline__ float row_sum(const float *in, int rounds) {
    float sum = 0.0f;
    if (WIDE) {
        const float4 *vectors = reinterpret_cast<const float4 *>(in);
#pragma unroll 1
        for (int i = threadIdx.x; i < rounds / 4; i += 4 * blockDim.x) {
            float4 loaded[4];
            load<4>(loaded, vectors, i, rounds / 4);
#pragma unroll
            for (int d = 0; d < 4; ++d) sum += sum_of(loaded[d]);
        }
    } else {
        const volatile float *numbers = in;
#pragma unroll 1
        for (int i = threadIdx.x; i < rounds; i += blockDim.x) sum += numbers[i];
    }
    return block_sum(sum);
}

template <bool WIDE>
__device__ __forceinline__ void reduce_row(const float *in, float *out, int rounds) {
    const float sum = row_sum<WIDE>(in, rounds);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// A row divided by its norm; it is read twice, the second time from the caches.
template <bool WIDE>
__device__ __forceinline__ void normalize_row(
    const float *__restrict__ in, float *__restrict__ out, int rounds) {
    const float scale = rsqrtf(row_sum<WIDE>(in, rounds) / rounds + 1e-6f);
    if (WIDE) {
        const float4 *from = reinterpret_cast<const float4 *>(in);
        float4 *to = reinterpret_cast<float4 *>(out);
#pragma unroll 4
        for (int i = threadIdx.x; i < rounds / 4; i += blockDim.x) {
            const float4 v = from[i];
            to[i] = make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
        }
    } else {
#pragma unroll 1
        for (int i = threadIdx.x; i < rounds; i += blockDim.x) out[i] = in[i] * scale;
    }
}

// One of a self-gated pair: `flags[0]` says which of the two has work.
__device__ __forceinline__ bool is_off(const int *flags, int wanted) {
    return (flags[0] != 0) != (wanted != 0);
}

// Reads memory until the host says stop, or `rounds` times; looks at the host's word in every
// eighth round.
__device__ __forceinline__ void run_beside_memory(
    const float *in, float *out, const int *flags, int items, int rounds, int width) {
    const float4 *vectors = reinterpret_cast<const float4 *>(in);
    float sum = 0.0f;
    for (int r = 0; r < rounds; ++r) {
        const bool stop =
            r % 8 == 0 && threadIdx.x == 0 && *reinterpret_cast<const volatile int *>(flags) != 0;
        if (__syncthreads_or(stop)) break;
        const Index item = (static_cast<Index>(r) * gridDim.x + blockIdx.x) % items;
#pragma unroll 1
        for (int i = threadIdx.x; i < width; i += 8 * blockDim.x) {
            float4 loaded[8];
            load<8>(loaded, vectors + item * width, i, width);
#pragma unroll
            for (int d = 0; d < 8; ++d) sum += sum_of(loaded[d]);
        }
    }
    if (sum != 0.0f) out[threadIdx.x] = sum;
}

// The same for the multipliers: `width` operations in each of four chains a round.
__device__ __forceinline__ void run_beside_compute(
    float *out, const int *flags, int rounds, int width) {
    const float a = 0.5f + rounds * 1e-9f;
    float x[4] = {1.0f, 2.0f, 3.0f, static_cast<float>(threadIdx.x)};
    for (int r = 0; r < rounds; ++r) {
        const bool stop = threadIdx.x == 0 && *reinterpret_cast<const volatile int *>(flags) != 0;
        if (__syncthreads_or(stop)) break;
#pragma unroll 8
        for (int i = 0; i < width; ++i)
            for (int j = 0; j < 4; ++j) x[j] = x[j] * a + a;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x[0] + x[1] + x[2] + x[3];
}
