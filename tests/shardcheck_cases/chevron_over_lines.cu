// A launch may take as many lines as it likes; its line is that of the chevrons.
// options: --dim n_head=96:tp --set head_dim=128
__global__ void rotate_pairs(float* x, int n);

void over_lines(float* x, int n, int n_head, int head_dim, cudaStream_t stream) {
    rotate_pairs
        <<<  // expect: GA401 grid=(n_head, cdiv(head_dim, 32)) roots.x=n_head roots.y=head_dim sharded=n_head blocks=384/192/96/48
            dim3(n_head,
                 (head_dim + 31) / 32),
            32,
            0,
            stream
        >>>(x, n);
    rotate_pairs<<<n_head,  // expect: GA401 grid=(n_head)
                   128>>>(
        x,
        n);
}
