// options: --dim n_head=96:tp
#pragma once
#define WITH_LAUNCH(KERNEL, ...) KERNEL<<<blocks, threads>>>(__VA_ARGS__) /* expect: collapses grid=(n_head) symbols.x=blocks */
#define N_THREADS 96
