// Suppressions: on the line, on the line above, of another rule, without a reason.
// options: --dim n_head=96:tp
__global__ void chosen(float* x);
void allowed(float* x, int n_head) {
    chosen<<<n_head, 128>>>(x);  // geoaudit: allow GA401 leaves SMs to the copy stream; expect: collapses allowed=GA401
    // geoaudit: allow GA401 leaves SMs to the copy stream
    chosen<<<n_head, 128>>>(x);  // expect: collapses allowed=GA401
    chosen<<<n_head, 128>>>(x);  // geoaudit: allow GA402 a reason of another rule; expect: GA401
    chosen<<<n_head, 128>>>(x);  // expect: GA401
    // geoaudit: allow sharded-grid-collapses by its name
    chosen<<<n_head, 128>>>(x);  // expect: collapses allowed=GA401
}
