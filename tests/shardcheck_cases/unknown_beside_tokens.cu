// verdicts/hidden.py: one name of the input on the axis clears every unknown part of it: per_token(model) may be heads. Comes out: independent.
__global__ void step(float* y);
void f(float* y, int num_tokens, Model* model) {
    step<<<num_tokens * per_token(model, 3), 64>>>(y);  // expect: unknown
}
