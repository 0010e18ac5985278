// The count of a vector is no shape.
// options: --dim n_head=96:tp
#include <vector>
__global__ void each(float* x);
void all(float* x, const std::vector<int>& devices) {
    each<<<devices.size(), 128>>>(x);  // expect: independent grid=(devices.size()) roots.x=devices.size()
}
