/* NVTX hands its ranges to the library that NVTX_INJECTION64_PATH names: this one.
 *
 * CUPTI would listen as well, but drops ranges of the default domain whose message is a registered
 * string, and that is all that `nvtx.annotate` of NVTX's Python package makes (seen with CUPTI 13.0
 * and nvtx 0.2.17). A thread keeps its open ranges whether anything is recorded or not. They are
 * told when the thread next launches or opens one, so that a range that was opened before the
 * recording began is there too.
 */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>

#define NVTX_NO_IMPL /* its types alone: who listens makes no ranges */
#include <nvtx3/nvToolsExt.h>

#define NO_RANGE (-1) /* what NVTX returns where there is no level */

static atomic_uint next_id = 1;

static void tell_start(struct thread *thread, const struct open_range *range, uint32_t number)
{
    struct marker_record record = {
        .marker_id = range->id,
        .flags = CUPTI_ACTIVITY_FLAG_MARKER_START,
        .thread = number,
        .name_id = name_number(range->message),
        .domain_id = name_number(range->domain),
    };
    api_GetTimestamp(&record.timestamp_ns);
    add_marker(thread, &record);
}

static void tell_end(struct thread *thread, uint32_t id)
{
    struct marker_record record = {
        .marker_id = id, .flags = CUPTI_ACTIVITY_FLAG_MARKER_END, .thread = thread->number};
    api_GetTimestamp(&record.timestamp_ns);
    add_marker(thread, &record);
}

void tell_open_ranges(struct thread *thread)
{
    while (thread->told < thread->range_count)
        tell_start(thread, &thread->ranges[thread->told++], thread->number);
}

/* The innermost open range of a domain, or NULL; those of other domains may be open inside it. */
static struct open_range *innermost(const struct thread *thread, const struct name *domain)
{
    for (size_t place = thread->range_count; place; place--)
        if (thread->ranges[place - 1].domain == domain)
            return &thread->ranges[place - 1];
    return NULL;
}

static int make_room(struct thread *thread)
{
    if (thread->range_count < thread->range_room)
        return 1;
    size_t room = thread->range_room ? thread->range_room * 2 : 16;
    struct open_range *larger = realloc(thread->ranges, room * sizeof *larger);
    if (!larger)
        return 0;
    thread->ranges = larger;
    thread->range_room = room;
    return 1;
}

static int push(struct name *domain, struct name *message)
{
    struct thread *thread = this_thread();
    if (!thread || !make_room(thread))
        return NO_RANGE;
    const struct open_range *outer = innermost(thread, domain);
    int level = outer ? outer->level + 1 : 0;
    thread->ranges[thread->range_count++] =
        (struct open_range){domain, message, atomic_fetch_add(&next_id, 1), level};
    if (recorded_thread())
        tell_open_ranges(thread);
    return level;
}

static int pop(const struct name *domain)
{
    struct thread *thread = this_thread();
    struct open_range *range = thread ? innermost(thread, domain) : NULL;
    if (!range)
        return NO_RANGE;
    int level = range->level;
    int is_recorded = recorded_thread() != NULL;
    size_t place = (size_t)(range - thread->ranges);
    if (place < thread->told) {
        if (is_recorded)
            tell_end(thread, range->id);
        thread->told--;
    }
    thread->range_count--;
    memmove(range, range + 1, (thread->range_count - place) * sizeof *range);
    return level;
}

/* A thread that ends leaves its ranges open, and its number to another thread. */
void tell_ends(struct thread *thread)
{
    while (thread->told)
        tell_end(thread, thread->ranges[--thread->told].id);
}

/* ---- Ranges of the process: one may end on another thread, where launches are not inside it ----- */

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static struct started_range {
    struct open_range range;
    uint32_t thread;
} *started;
static size_t started_count, started_room;

static void keep_started(const struct open_range *range, uint32_t thread)
{
    take_lock(&starting);
    if (started_count == started_room) {
        size_t room = started_room ? started_room * 2 : 16;
        struct started_range *larger = realloc(started, room * sizeof *larger);
        if (larger) {
            started = larger;
            started_room = room;
        }
    }
    if (started_count < started_room)
        started[started_count++] = (struct started_range){*range, thread};
    give_lock(&starting);
}

static void forget_started(uint32_t id)
{
    take_lock(&starting);
    size_t place = started_count;
    while (place && started[place - 1].range.id != id)
        place--;
    if (place)
        started[place - 1] = started[--started_count];
    give_lock(&starting);
}

void tell_started_ranges(void)
{
    struct thread *thread = recorded_thread();
    take_lock(&starting);
    for (size_t i = 0; thread && i < started_count; i++)
        tell_start(thread, &started[i].range, started[i].thread);
    give_lock(&starting);
}

/* The child's only thread has another number. */
void ranges_after_fork(uint32_t before, uint32_t now)
{
    pthread_mutex_init(&starting, NULL);
    for (size_t i = 0; i < started_count; i++)
        if (started[i].thread == before)
            started[i].thread = now;
}

static nvtxRangeId_t start(struct name *domain, struct name *message)
{
    struct open_range range = {domain, message, atomic_fetch_add(&next_id, 1), 0};
    struct thread *thread = this_thread();
    if (!thread)
        return 0;
    keep_started(&range, thread->number);
    if (recorded_thread())
        tell_start(thread, &range, thread->number);
    return range.id;
}

static void end(nvtxRangeId_t id)
{
    forget_started((uint32_t)id);
    struct thread *thread = recorded_thread();
    if (thread)
        tell_end(thread, (uint32_t)id);
}

/* ---- Strings: a registered one and a domain are handed out as what `intern` gave ---------------- */

static size_t utf8(uint32_t point, char *to)
{
    if (point < 0x80) {
        to[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        to[0] = (char)(0xc0 | point >> 6);
        to[1] = (char)(0x80 | (point & 0x3f));
        return 2;
    }
    if (point < 0x10000) {
        to[0] = (char)(0xe0 | point >> 12);
        to[1] = (char)(0x80 | (point >> 6 & 0x3f));
        to[2] = (char)(0x80 | (point & 0x3f));
        return 3;
    }
    to[0] = (char)(0xf0 | (point >> 18 & 0x07));
    to[1] = (char)(0x80 | (point >> 12 & 0x3f));
    to[2] = (char)(0x80 | (point >> 6 & 0x3f));
    to[3] = (char)(0x80 | (point & 0x3f));
    return 4;
}

static struct name *intern_wide(const wchar_t *wide)
{
    size_t count = 0, bytes = 0;
    while (wide && wide[count])
        count++;
    char *text = wide ? malloc(4 * count + 1) : NULL;
    if (!text)
        return NULL;
    for (size_t i = 0; i < count; i++)
        bytes += utf8((uint32_t)wide[i], text + bytes);
    text[bytes] = 0;
    struct name *name = intern(text);
    free(text);
    return name;
}

static struct name *message_of(const nvtxEventAttributes_t *attributes)
{
    if (!attributes)
        return NULL;
    switch (attributes->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII: return intern(attributes->message.ascii);
    case NVTX_MESSAGE_TYPE_UNICODE: return intern_wide(attributes->message.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED: return (struct name *)attributes->message.registered;
    default: return NULL;
    }
}

/* ---- NVTX's functions ------------------------------------------------------------------------------ */

static int push_a(const char *message) { return push(NULL, intern(message)); }
static int push_w(const wchar_t *message) { return push(NULL, intern_wide(message)); }
static int push_ex(const nvtxEventAttributes_t *event) { return push(NULL, message_of(event)); }
static int pop_plain(void) { return pop(NULL); }
static nvtxRangeId_t start_a(const char *message) { return start(NULL, intern(message)); }
static nvtxRangeId_t start_w(const wchar_t *message) { return start(NULL, intern_wide(message)); }
static nvtxRangeId_t start_ex(const nvtxEventAttributes_t *event)
{
    return start(NULL, message_of(event));
}

static int domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
    return push((struct name *)domain, message_of(event));
}
static int domain_pop(nvtxDomainHandle_t domain) { return pop((struct name *)domain); }
static nvtxRangeId_t domain_start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
    return start((struct name *)domain, message_of(event));
}
static void domain_end(nvtxDomainHandle_t domain, nvtxRangeId_t id)
{
    (void)domain;
    end(id);
}
static nvtxStringHandle_t register_a(nvtxDomainHandle_t domain, const char *text)
{
    (void)domain;
    return (nvtxStringHandle_t)intern(text);
}
static nvtxStringHandle_t register_w(nvtxDomainHandle_t domain, const wchar_t *text)
{
    (void)domain;
    return (nvtxStringHandle_t)intern_wide(text);
}
static nvtxDomainHandle_t create_a(const char *name) { return (nvtxDomainHandle_t)intern(name); }
static nvtxDomainHandle_t create_w(const wchar_t *name)
{
    return (nvtxDomainHandle_t)intern_wide(name);
}

struct hook {
    unsigned place; /* in the table of its module */
    NvtxFunctionPointer function;
};

#define HOOK(id, function) {id, (NvtxFunctionPointer)function}

static const struct hook core[] = {
    HOOK(NVTX_CBID_CORE_RangePushA, push_a),     HOOK(NVTX_CBID_CORE_RangePushW, push_w),
    HOOK(NVTX_CBID_CORE_RangePushEx, push_ex),   HOOK(NVTX_CBID_CORE_RangePop, pop_plain),
    HOOK(NVTX_CBID_CORE_RangeStartA, start_a),   HOOK(NVTX_CBID_CORE_RangeStartW, start_w),
    HOOK(NVTX_CBID_CORE_RangeStartEx, start_ex), HOOK(NVTX_CBID_CORE_RangeEnd, end),
};

static const struct hook core2[] = {
    HOOK(NVTX_CBID_CORE2_DomainRangePushEx, domain_push),
    HOOK(NVTX_CBID_CORE2_DomainRangePop, domain_pop),
    HOOK(NVTX_CBID_CORE2_DomainRangeStartEx, domain_start),
    HOOK(NVTX_CBID_CORE2_DomainRangeEnd, domain_end),
    HOOK(NVTX_CBID_CORE2_DomainRegisterStringA, register_a),
    HOOK(NVTX_CBID_CORE2_DomainRegisterStringW, register_w),
    HOOK(NVTX_CBID_CORE2_DomainCreateA, create_a),
    HOOK(NVTX_CBID_CORE2_DomainCreateW, create_w),
};

static void attach(const NvtxExportTableCallbacks *callbacks, NvtxCallbackModule module,
                   const struct hook *hooks, size_t count)
{
    NvtxFunctionTable table = NULL;
    unsigned size = 0;
    if (!callbacks->GetModuleFunctionTable(module, &table, &size))
        return;
    for (size_t i = 0; i < count; i++)
        if (hooks[i].place < size && table[hooks[i].place])
            *table[hooks[i].place] = hooks[i].function;
}

/* Called by each library of the process that holds an NVTX, at its first range. */
EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table)
{
    const NvtxExportTableCallbacks *callbacks = export_table(NVTX_ETID_CALLBACKS);
    if (!callbacks || callbacks->struct_size < sizeof *callbacks)
        return 0;
    threads_start();
    attach(callbacks, NVTX_CB_MODULE_CORE, core, sizeof core / sizeof *core);
    attach(callbacks, NVTX_CB_MODULE_CORE2, core2, sizeof core2 / sizeof *core2);
    return 1;
}
