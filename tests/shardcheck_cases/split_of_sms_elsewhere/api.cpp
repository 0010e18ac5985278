#include "params.h"
void decode(at::Tensor q, int num_heads, int num_heads_k) {
    DecodeParams params;
    int num_sms = at::cuda::getCurrentDeviceProperties()->multiProcessorCount;
    params.h_k = num_heads_k;
    params.rows = q.size(1) * num_heads / num_heads_k;
    params.parts = std::max(num_sms / num_heads_k / cdiv(num_heads / num_heads_k, 64), 1);
    run_decode(params);
}
