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
    return api_GetVersion(&cupti_version) == CUPTI_SUCCESS;
}

/* A libcupti that the process already holds comes first, and alone: two of them would fight for the
 * slot. Then the candidates of GEOAUDIT_CUPTI, separated by colons, the first that will do. */
int load_cupti(void)
{
    static const char *const loaded[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
    for (size_t i = 0; i < sizeof loaded / sizeof *loaded; i++) {
        void *library = dlopen(loaded[i], RTLD_NOW | RTLD_NOLOAD);
        if (library)
            return resolve(library);
    }
    const char *candidates = getenv("GEOAUDIT_CUPTI");
    char *list = strdup(candidates ? candidates : "");
    int is_found = 0;
    for (char *rest = list, *path; !is_found && (path = strsep(&rest, ":"));) {
        void *library = *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
        is_found = library && resolve(library);
        if (library && !is_found)
            dlclose(library);
    }
    free(list);
    return is_found;
}
