// A base class launches through the class derived from it; the kernel is built from a text.
// options: --dim n_head=96:tp
struct Shape { int blocks; int threads; };
static CUlaunchConfig configured(const Shape& shape) {
    CUlaunchConfig config;
    config.gridDimX = shape.blocks;
    config.gridDimY = 2;
    config.gridDimZ = 1;
    config.blockDimX = shape.threads;
    return config;
}
template <typename... A> static auto enqueue(CUfunction kernel, const CUlaunchConfig& config, A&&... a) {
    void* list[] = {&a...};
    return lazy_cuLaunchKernelEx(&config, kernel, list, nullptr);  // expect: launcher
}
template <typename Derived> struct Base {
    template <typename Args> static void launch(CUfunction kernel, const Args& args) {
        auto config = configured(args.shape);
        Derived::launch_with(kernel, config, args);  // expect: launcher
    }
};
struct Project : Base<Project> {
    struct Args { Shape shape; float* x; };
    static void launch_with(CUfunction kernel, const CUlaunchConfig& config, Args args) {
        enqueue(kernel, config, args.x);  // expect: launcher
    }
};
struct Widen : Base<Widen> {
    struct Args { Shape shape; float* x; float* y; };
    static void launch_with(CUfunction kernel, const CUlaunchConfig& config, Args args) {
        enqueue(kernel, config, args.x, args.y);  // expect: launcher
    }
};
void use(float* x, int n_head, Compiler& compiler) {
    const Project::Args args = {.shape = Shape{n_head, 128}, .x = x};
    const auto kernel = compiler.build("project", "source");
    Project::launch(kernel, args);  // expect: collapses grid=(n_head, 2) kernel=project launcher=launch
}
