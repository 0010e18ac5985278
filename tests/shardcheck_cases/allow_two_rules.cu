// Two rules in one remark.
// options: --dim n_head=96:tp
__global__ void chosen(float* x);
void allowed(float* x, int n_head) {
    // geoaudit: allow GA401, GA405 both are wanted here
    chosen<<<n_head, 2048>>>(x);  // expect: collapses allowed=GA401,GA405
    chosen<<<n_head, 2048>>>(x);  // expect: GA401 GA405
}
