// Launches that are not: in comments, strings, raw strings, and code that is left out.
// options: --dim n_head=96:tp
__global__ void real(float* x);
/* real<<<n_head, 1>>>(x); */
static const char* help = "use real<<<n_head, 128>>>(x) to start";  // expect: none
static const char* source = R"(void f() { real<<<n_head, 2>>>(x); })";  // expect: none

void only_one(float* x, int n_head) {
    // real<<<n_head, 3>>>(x);
    printf("real<<<%d, %d>>>\n", n_head, 128);  // expect: none
    const char quote = '"'; real<<<n_head, 4>>>(x); const char other = '"';  // expect: collapses grid=(n_head) block=(4)
    /* a comment that // holds another */ real<<<n_head, 5>>>(x);  // expect: collapses grid=(n_head) block=(5)
}
