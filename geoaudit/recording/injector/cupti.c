/* CUPTI is found when the process is recorded, not when the recorder is built. */
#include "recorder.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

uint32_t cupti_version;

#define DEFINE(name) __typeof__(&cupti##name) api_##name;
CUPTI_FUNCTIONS(DEFINE)

static int resolve(void *library)
{
#define RESOLVE(name)                                                                             \
    api_##name = (__typeof__(&cupti##name))dlsym(library, "cupti" #name);                         \
    if (!api_##name)                                                                              \
        return 0;
    CUPTI_FUNCTIONS(RESOLVE)
    return 1;
}

/* A libcupti that the process already holds comes first: two of them would fight for the slot.
 * Then the candidates of GEOAUDIT_CUPTI, separated by colons, in order. */
static void *open_library(void)
{
    static const char *const loaded[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
    for (size_t i = 0; i < sizeof loaded / sizeof *loaded; i++) {
        void *library = dlopen(loaded[i], RTLD_NOW | RTLD_NOLOAD);
        if (library)
            return library;
    }
    const char *candidates = getenv("GEOAUDIT_CUPTI");
    char *list = strdup(candidates ? candidates : "");
    void *library = NULL;
    for (char *rest = list, *path; !library && (path = strsep(&rest, ":"));)
        if (*path)
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    free(list);
    return library;
}

int load_cupti(void)
{
    void *library = open_library();
    if (!library || !resolve(library))
        return 0;
    api_GetVersion(&cupti_version);
    return 1;
}
