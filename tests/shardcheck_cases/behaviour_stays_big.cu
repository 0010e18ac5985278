// 512 x 12 blocks at eight ranks: shrinks, and still fills any device.
// options: --dim n_head=96:tp --set kv_lora=512
__global__ void absorb(float* x);
void absorbed(float* x, int kv_lora, int n_head) {
    absorb<<<dim3(kv_lora, n_head), 128>>>(x);  // expect: shrinks grid=(kv_lora, n_head) roots.x=kv_lora roots.y=n_head sharded=n_head blocks=49152/24576/12288/6144
}
