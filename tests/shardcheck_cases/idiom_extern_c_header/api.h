// options: --dim n_head=96:tp
#ifdef __cplusplus
extern "C" {
#endif
void start_gate(float* x, int rows, int columns);
#ifdef __cplusplus
}
#endif
