struct Config { int n_head; };
void forward(float* x, int heads);
void decode(float* x, const Config& config) {
    forward(x, config.n_head);
}
