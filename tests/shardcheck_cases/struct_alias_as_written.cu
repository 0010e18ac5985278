// A local that stands for a field of a field: the names on the way are also as written here.
// options: --dim q.heads=96:tp
struct Shape { int heads; int rows; };
struct Node { Shape* source[2]; Shape shape; };
__global__ void node(float* x);

void aliases(float* x, const Node* dst) {
    const Shape* q = dst->source[0];
    const Shape& k = dst->shape;
    node<<<dim3(q->heads, k.rows), 64>>>(x);  // expect: collapses|shrinks|small symbols.x=q.heads symbols.y=k.rows not.y=q.heads
    int heads = q->heads;
    node<<<heads, 64>>>(x);  // expect: collapses symbols.x=heads,q.heads
}
