// A global that begins as 0 and is set before the launch breaks no limit.
__global__ void norm(float* x);
int cuda_num_blocks = 0;
void setup(int n) { cuda_num_blocks = n; }
void launch(float* x) {
    norm<<<cuda_num_blocks, 128>>>(x);  // expect: independent|unknown
}
