// Locals made by token pasting.
// options: --dim ne2=96:tp
#define LOCAL_1(type, name, index, source) const type name##index = (source)->ne[index];
#define LOCALS(type, name, source) LOCAL_1(type, name, 0, source) LOCAL_1(type, name, 1, source) LOCAL_1(type, name, 2, source)
struct tensor { long ne[4]; };
__global__ void net(float* x);

void pasted(float* x, const tensor* q) {
    LOCALS(long, nev, q);
    net<<<dim3(nev2, nev1), 64>>>(x);  // expect: grid=(q.ne[2], q.ne[1]) roots.x=q.ne[2] roots.y=q.ne[1] symbols.x=nev2
}
