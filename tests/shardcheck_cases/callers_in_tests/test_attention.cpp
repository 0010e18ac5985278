void forward(float* x, int heads);
int main() {
    float* x = nullptr;
    for (int heads : {4, 12}) forward(x, heads);
    forward(x, 7);
    return 0;
}
