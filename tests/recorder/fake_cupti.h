/* What the fake CUPTI offers besides CUPTI's own functions: the launches of a program that has no
 * GPU. The target finds these functions in the library the recorder has loaded. */
#ifndef FAKE_CUPTI_H
#define FAKE_CUPTI_H

#include <stdint.h>

struct fake_kernel {
    const char *name;
    int32_t grid[3], block[3];
    uint32_t cluster[3];
    int is_runtime_call; /* 1: a runtime call that calls the driver's */
    int fails;           /* 1: the launch call returns an error and nothing runs */
};

typedef void fake_start_function(void);                     /* the driver has come up */
typedef void fake_launch_function(const struct fake_kernel *kernel);
typedef void fake_graph_function(const struct fake_kernel *kernel, uint32_t graph, int nodes);
typedef void fake_capture_function(int begins);
typedef void fake_copy_function(uint64_t bytes, int is_set);
typedef void fake_unload_function(char *place, const char *new_name);

#endif
