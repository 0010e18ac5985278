// A loop that changes a member beside a part of another one: each keeps its own.
struct Tile { int rows; int columns; };
struct Plan { Tile tile; int count; };
__global__ void step(float* y);
void f(float* y, int n_head, int batch) {
    Plan plan;
    plan.tile.rows = 1;
    plan.count = 1;
    while (plan.count < 4) {
        plan.tile.rows *= 2;
        plan.count *= 2;
    }
    Tile tile = plan.tile;
    step<<<tile.rows * n_head, 64>>>(y);  // expect: grid=(n_head * 4)
}
