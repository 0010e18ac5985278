// A loop that halves an axis until it fits.
// options: --dim head_num=96:tp --set seq_len=1 --set batch_size=1
__global__ void transpose(float* x);

void halved(float* x, int batch_size, int head_num, int seq_len) {
    dim3 grid, block;
    const int seq_per_block = 4;
    grid.x = batch_size * head_num * seq_len / seq_per_block;
    block.x = seq_per_block * 64;
    while (block.x > 128) {
        block.x /= 2;
        grid.x *= 2;
    }
    transpose<<<grid, block>>>(x);  // expect: small grid=(2 * (batch_size * head_num * seq_len // 4)) roots.x=batch_size,head_num,seq_len block=(128) blocks=48/24/12/6
}
