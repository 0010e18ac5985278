// Angle brackets on both sides of the chevrons.
// options: --dim n_head=96:tp
template <typename T, int D, bool F> __global__ void attend(const T* q, T* o);
template <typename T> struct Traits { static constexpr int kTile = 64; };

template <typename T, int HEAD>
void launch_attend(const T* q, T* o, int n_head, int seq) {
    attend<T, HEAD, true><<<dim3(n_head, (seq + Traits<T>::kTile - 1) / Traits<T>::kTile), 128>>>(q, o);  // expect: shrinks|collapses|small grid=(n_head, cdiv(seq, 64)) kernel=attend roots.y=seq
    attend<T, (HEAD > 64), false><<<n_head, 128>>>(q, o);  // expect: collapses grid=(n_head) kernel=attend
    attend<T, HEAD, false><<<dim3(n_head, HEAD / 32), 128>>>(q, o);  // expect: shrinks|collapses|small grid=(n_head, HEAD // 32) roots.x=n_head not.x=HEAD
}
template void launch_attend<float, 128>(const float*, float*, int, int);
