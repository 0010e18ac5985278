/* A CUPTI without a GPU: what CUPTI's documentation promises of the functions that the recorder
 * calls, and the records that programs launched through fake_cupti.h leave.
 *
 * Kept to: buffers are asked for when a record needs room and given back full by a thread of
 * CUPTI's own, or by a flush on the thread that asked for it; a flush that is not forced keeps
 * back a buffer with an unfinished record; records are as long as the version's; one subscriber;
 * callbacks run on the thread that launches; a record whose buffer was refused is dropped and
 * counted until the count is asked for. It ends the program where the recorder breaks a rule:
 * flushing inside a buffer callback, a buffer that is not aligned, or not of zeros where the
 * recorder said that it is.
 *
 * Set by the environment:
 *   FAKE_CUPTI_VERSION       what cuptiGetVersion says; the records' lengths follow (130001)
 *   FAKE_CUPTI_SUBSCRIBED    another subscriber holds CUPTI: error 39
 *   FAKE_CUPTI_SILENT        another profiler gets the records of kernels, and nobody is told
 *   FAKE_CUPTI_DROP_EVERY    each so-manieth kernel record is dropped and counted
 *   FAKE_CUPTI_UNTIMED_EVERY each so-manieth kernel record has no time
 *   FAKE_CUPTI_KERNEL_NS     how long a kernel runs (2000)
 *   FAKE_CUPTI_GREEN_SMS     the context is a green one, of so many SMs
 */
#define _GNU_SOURCE
#include <cupti.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fake_cupti.h"

#define EXPORT __attribute__((visibility("default")))
#define LONGEST_RECORD 1024

static long setting(const char *name, long otherwise)
{
    const char *value = getenv(name);
    return value ? atol(value) : otherwise;
}

static void broken_rule(const char *rule)
{
    fprintf(stderr, "fake CUPTI: the recorder broke a rule: %s\n", rule);
    abort();
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- Versions and the length of records ----------------------------------------------------- */

static uint32_t version(void)
{
    return (uint32_t)setting("FAKE_CUPTI_VERSION", 130001);
}

static size_t kernel_bytes(void)
{
    /* 13.1 appended the priority; 13.4 is two records later. The appended bytes are not zero. */
    if (version() >= 130400)
        return sizeof(CUpti_ActivityKernel10) + 24;
    if (version() >= 130100)
        return sizeof(CUpti_ActivityKernel10) + 8;
    return version() >= 130000 ? sizeof(CUpti_ActivityKernel10) : sizeof(CUpti_ActivityKernel9);
}

static size_t record_bytes(CUpti_ActivityKind kind)
{
    int is_13 = version() >= 130000;
    switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: return kernel_bytes();
    case CUPTI_ACTIVITY_KIND_MEMCPY:
        return is_13 ? sizeof(CUpti_ActivityMemcpy6) : sizeof(CUpti_ActivityMemcpy5);
    case CUPTI_ACTIVITY_KIND_MEMSET: return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_DEVICE:
        return is_13 ? sizeof(CUpti_ActivityDevice5) : sizeof(CUpti_ActivityDevice4);
    case CUPTI_ACTIVITY_KIND_CONTEXT:
        if (version() < 22)
            return sizeof(CUpti_ActivityContext);
        return is_13 ? sizeof(CUpti_ActivityContext3) : sizeof(CUpti_ActivityContext2);
    default: return 0;
    }
}

/* ---- Buffers ---------------------------------------------------------------------------------- */

struct buffer {
    struct buffer *next;
    uint8_t *bytes;
    size_t room, used;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t buffer_is_full = PTHREAD_COND_INITIALIZER;
static struct buffer *current, *full;
static uint64_t last_end_ns;
static size_t dropped;
static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;
static int is_enabled[CUPTI_ACTIVITY_KIND_COUNT];
static int is_zeroed; /* the recorder gives buffers of zeros */
static __thread int in_callback;

static void deliver(struct buffer *buffer)
{
    in_callback = 1;
    complete(NULL, 0, buffer->bytes, buffer->room, buffer->used);
    in_callback = 0;
    free(buffer);
}

static struct buffer *take_full(void)
{
    struct buffer *taken = full;
    if (taken)
        full = taken->next;
    return taken;
}

static void *give_back_full_buffers(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!full)
            pthread_cond_wait(&buffer_is_full, &lock);
        struct buffer *taken = take_full();
        pthread_mutex_unlock(&lock);
        deliver(taken);
    }
    return unused;
}

static struct buffer *requested_buffer(void)
{
    struct buffer *buffer = calloc(1, sizeof *buffer);
    size_t most = 0;
    in_callback = 1;
    request(&buffer->bytes, &buffer->room, &most);
    in_callback = 0;
    if ((uintptr_t)buffer->bytes % ACTIVITY_RECORD_ALIGNMENT)
        broken_rule("a buffer is not aligned");
    for (size_t i = 0; is_zeroed && buffer->bytes && i < buffer->room; i++)
        if (buffer->bytes[i])
            broken_rule("a buffer is not of zeros");
    if (buffer->bytes)
        return buffer;
    free(buffer);
    return NULL;
}

/* Append a record of its version's length; `lock` is held. */
static void append(const void *record, CUpti_ActivityKind kind)
{
    size_t bytes = record_bytes(kind);
    if (!complete || !is_enabled[kind])
        return;
    if (current && current->room - current->used < bytes) {
        struct buffer **last = &full;
        while (*last)
            last = &(*last)->next;
        *last = current;
        current = NULL;
        pthread_cond_signal(&buffer_is_full);
    }
    if (!current && !(current = requested_buffer())) {
        dropped++;
        return;
    }
    memcpy(current->bytes + current->used, record, bytes);
    current->used += bytes;
}

/* ---- CUPTI's functions -------------------------------------------------------------------------- */

EXPORT CUptiResult cuptiGetVersion(uint32_t *told)
{
    *told = version();
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiGetTimestamp(uint64_t *told)
{
    *told = now_ns();
    return CUPTI_SUCCESS;
}

static CUpti_CallbackFunc callback;
static void *callback_data;
#define CALLBACK_IDS 2048
static int is_called[CUPTI_CB_DOMAIN_SIZE][CALLBACK_IDS];

EXPORT CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc function,
                                  void *data)
{
    if (callback || getenv("FAKE_CUPTI_SUBSCRIBED"))
        return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    callback = function;
    callback_data = data;
    *subscriber = (CUpti_SubscriberHandle)&callback;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber)
{
    if (subscriber != (CUpti_SubscriberHandle)&callback)
        return CUPTI_ERROR_INVALID_PARAMETER;
    callback = NULL;
    memset(is_called, 0, sizeof is_called);
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                       CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
    if (subscriber != (CUpti_SubscriberHandle)&callback || domain >= CUPTI_CB_DOMAIN_SIZE ||
        id >= CALLBACK_IDS)
        return CUPTI_ERROR_INVALID_PARAMETER;
    is_called[domain][id] = (int)enable;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type)
{
    return type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM ? CUPTI_SUCCESS
                                                        : CUPTI_ERROR_INVALID_PARAMETER;
}

EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc on_request,
                                                  CUpti_BuffersCallbackCompleteFunc on_complete)
{
    pthread_t thread;
    pthread_mutex_lock(&lock);
    int is_first = !complete;
    request = on_request;
    complete = on_complete;
    pthread_mutex_unlock(&lock);
    if (!is_first)
        return CUPTI_SUCCESS;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&thread, NULL, give_back_full_buffers, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed)
        return CUPTI_ERROR_UNKNOWN;
    pthread_detach(thread);
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, size_t *size,
                                             void *value)
{
    if (attribute != CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER || *size != sizeof(uint8_t))
        return CUPTI_ERROR_INVALID_PARAMETER;
    is_zeroed = *(const uint8_t *)value;
    return CUPTI_SUCCESS;
}

static CUptiResult set_enabled(CUpti_ActivityKind kind, int enabled)
{
    if (!record_bytes(kind))
        return CUPTI_ERROR_INVALID_KIND;
    pthread_mutex_lock(&lock);
    is_enabled[kind] = enabled;
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
    return set_enabled(kind, 1);
}

EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
    return set_enabled(kind, 0);
}

/* A forced flush gives kernels that still run without their times. */
static void lose_times_of_unfinished(struct buffer *buffer, uint64_t now)
{
    CUpti_Activity *record = NULL;
    while (cuptiActivityGetNextRecord(buffer->bytes, buffer->used, &record) == CUPTI_SUCCESS)
        if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
            CUpti_ActivityKernel9 *kernel = (CUpti_ActivityKernel9 *)record;
            if (kernel->end > now)
                kernel->start = kernel->end = 0;
        }
}

EXPORT CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
    if (in_callback)
        broken_rule("a flush inside a buffer callback");
    uint64_t now = now_ns();
    int is_forced = flag == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED;
    /* What is there now, and not what comes while it is given back. */
    pthread_mutex_lock(&lock);
    struct buffer *taken = full, *last = NULL;
    full = NULL;
    if (current && (is_forced || last_end_ns <= now)) {
        last = current;
        current = NULL;
        lose_times_of_unfinished(last, now);
    }
    pthread_mutex_unlock(&lock);
    while (taken) {
        struct buffer *next = taken->next;
        deliver(taken);
        taken = next;
    }
    if (last)
        deliver(last);
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid,
                                              CUpti_Activity **record)
{
    if (!buffer)
        return CUPTI_ERROR_INVALID_PARAMETER;
    uint8_t *next = buffer;
    if (*record)
        next = (uint8_t *)*record + record_bytes((*record)->kind);
    if (next >= buffer + valid)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (CUpti_Activity *)next;
    return record_bytes((*record)->kind) ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_KIND;
}

EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream,
                                                     size_t *told)
{
    (void)context;
    (void)stream;
    pthread_mutex_lock(&lock);
    *told = dropped;
    dropped = 0;
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

/* ---- Launches ----------------------------------------------------------------------------------- */

static atomic_uint next_correlation = 1;
static atomic_long kernels_run;
static atomic_int is_child; /* CUDA cannot be used after a fork: launches fail */

static void after_fork(void)
{
    atomic_store(&is_child, 1);
}

static void call(CUpti_CallbackDomain domain, CUpti_CallbackId id, CUpti_ApiCallbackSite site,
                 uint32_t correlation, int result)
{
    if (!callback || !is_called[domain][id])
        return;
    const cuLaunchKernel_params parameters = {.hStream = (CUstream)7};
    CUpti_CallbackData data = {
        .callbackSite = site, .correlationId = correlation, .functionParams = &parameters};
    data.functionReturnValue = site == CUPTI_API_EXIT ? &result : NULL;
    callback(callback_data, domain, id, &data);
}

static int is_nth(const char *name, long number)
{
    long every = setting(name, 0);
    return every && number % every == 0;
}

static atomic_int is_capturing; /* the one stream there is */

static void run_kernel(const struct fake_kernel *launch, uint32_t correlation, uint32_t graph,
                       uint64_t node)
{
    if (is_capturing)
        return;
    long number = atomic_fetch_add(&kernels_run, 1) + 1;
    if (getenv("FAKE_CUPTI_SILENT"))
        return;
    /* Appended fields hold something, so that reading them as something else shows. */
    unsigned char bytes[LONGEST_RECORD];
    memset(bytes, 0xA5, sizeof bytes);
    CUpti_ActivityKernel9 kernel = {
        .kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
        .registersPerThread = 32,
        .deviceId = 0,
        .contextId = 1,
        .streamId = 7,
        .gridX = launch->grid[0],
        .gridY = launch->grid[1],
        .gridZ = launch->grid[2],
        .blockX = launch->block[0],
        .blockY = launch->block[1],
        .blockZ = launch->block[2],
        .staticSharedMemory = 1024,
        .dynamicSharedMemory = 2048,
        .correlationId = correlation,
        .name = launch->name,
        .sharedMemoryExecuted = 32768,
        .graphNodeId = node,
        .graphId = graph,
        .clusterX = launch->cluster[0],
        .clusterY = launch->cluster[1],
        .clusterZ = launch->cluster[2],
        .maxActiveClusters = launch->cluster[0] ? 16 : 0,
    };
    pthread_mutex_lock(&lock);
    kernel.start = now_ns();
    kernel.end = kernel.start + (uint64_t)setting("FAKE_CUPTI_KERNEL_NS", 2000);
    last_end_ns = kernel.end;
    if (is_nth("FAKE_CUPTI_UNTIMED_EVERY", number))
        kernel.start = kernel.end = 0;
    memcpy(bytes, &kernel, sizeof kernel);
    if (is_nth("FAKE_CUPTI_DROP_EVERY", number))
        dropped++;
    else
        append(bytes, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    pthread_mutex_unlock(&lock);
}

EXPORT void fake_launch(const struct fake_kernel *kernel)
{
    uint32_t correlation = atomic_fetch_add(&next_correlation, 1);
    const CUpti_CallbackId runtime = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000;
    const CUpti_CallbackId driver = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;
    int result = kernel->fails || atomic_load(&is_child) ? CUDA_ERROR_NOT_INITIALIZED : 0;
    if (kernel->is_runtime_call)
        call(CUPTI_CB_DOMAIN_RUNTIME_API, runtime, CUPTI_API_ENTER, correlation, 0);
    call(CUPTI_CB_DOMAIN_DRIVER_API, driver, CUPTI_API_ENTER, correlation, 0);
    if (!result)
        run_kernel(kernel, correlation, 0, 0);
    call(CUPTI_CB_DOMAIN_DRIVER_API, driver, CUPTI_API_EXIT, correlation, result);
    if (kernel->is_runtime_call)
        call(CUPTI_CB_DOMAIN_RUNTIME_API, runtime, CUPTI_API_EXIT, correlation, result);
}

/* The runtime's call holds the driver's. */
EXPORT void fake_capture(int begins)
{
    uint32_t correlation = atomic_fetch_add(&next_correlation, 1);
    CUpti_CallbackId runtime = CUPTI_RUNTIME_TRACE_CBID_cudaStreamEndCapture_v10000;
    CUpti_CallbackId driver = CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture;
    if (begins) {
        runtime = CUPTI_RUNTIME_TRACE_CBID_cudaStreamBeginCapture_v10000;
        driver = CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2;
    }
    call(CUPTI_CB_DOMAIN_RUNTIME_API, runtime, CUPTI_API_ENTER, correlation, 0);
    call(CUPTI_CB_DOMAIN_DRIVER_API, driver, CUPTI_API_ENTER, correlation, 0);
    is_capturing = begins;
    call(CUPTI_CB_DOMAIN_DRIVER_API, driver, CUPTI_API_EXIT, correlation, 0);
    call(CUPTI_CB_DOMAIN_RUNTIME_API, runtime, CUPTI_API_EXIT, correlation, 0);
}

EXPORT void fake_graph_launch(const struct fake_kernel *kernel, uint32_t graph, int nodes)
{
    uint32_t correlation = atomic_fetch_add(&next_correlation, 1);
    const CUpti_CallbackId driver = CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch;
    call(CUPTI_CB_DOMAIN_DRIVER_API, driver, CUPTI_API_ENTER, correlation, 0);
    for (int node = 0; node < nodes; node++)
        run_kernel(kernel, correlation, graph, ((uint64_t)graph << 32) + (uint64_t)node + 1);
    call(CUPTI_CB_DOMAIN_DRIVER_API, driver, CUPTI_API_EXIT, correlation, 0);
}

EXPORT void fake_copy(uint64_t copied, int is_set)
{
    unsigned char bytes[LONGEST_RECORD];
    memset(bytes, 0xA5, sizeof bytes);
    uint64_t start = now_ns();
    uint32_t correlation = atomic_fetch_add(&next_correlation, 1);
    CUpti_ActivityMemcpy5 copy = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
                                  .copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD,
                                  .srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED,
                                  .dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
                                  .bytes = copied,
                                  .start = start,
                                  .end = start + 1000,
                                  .contextId = 1,
                                  .streamId = 7,
                                  .correlationId = correlation};
    CUpti_ActivityMemset4 set = {.kind = CUPTI_ACTIVITY_KIND_MEMSET,
                                 .bytes = copied,
                                 .start = start,
                                 .end = start + 1000,
                                 .contextId = 1,
                                 .streamId = 7,
                                 .correlationId = correlation};
    memcpy(bytes, is_set ? (const void *)&set : &copy, is_set ? sizeof set : sizeof copy);
    pthread_mutex_lock(&lock);
    append(bytes, is_set ? CUPTI_ACTIVITY_KIND_MEMSET : CUPTI_ACTIVITY_KIND_MEMCPY);
    pthread_mutex_unlock(&lock);
}

static void sleep_until_finished(void)
{
    pthread_mutex_lock(&lock);
    uint64_t end = last_end_ns;
    pthread_mutex_unlock(&lock);
    while (now_ns() < end)
        usleep(100);
}

/* A module is unloaded, and another one puts its kernel's name in the same place. */
EXPORT void fake_unload(char *place, const char *name)
{
    sleep_until_finished();
    cuptiActivityFlushAll(0);
    pthread_mutex_lock(&lock);
    strcpy(place, name);
    pthread_mutex_unlock(&lock);
}

static void append_device(void)
{
    unsigned char bytes[LONGEST_RECORD];
    memset(bytes, 0xA5, sizeof bytes);
    CUpti_ActivityDevice4 device = {.kind = CUPTI_ACTIVITY_KIND_DEVICE,
                                    .globalMemorySize = 1ull << 37,
                                    .computeCapabilityMajor = 9,
                                    .numMultiprocessors = 132,
                                    .numThreadsPerWarp = 32,
                                    .maxWarpsPerMultiprocessor = 64,
                                    .maxBlocksPerMultiprocessor = 32,
                                    .maxRegistersPerMultiprocessor = 65536,
                                    .maxSharedMemoryPerMultiprocessor = 233472,
                                    .l2CacheSize = 62914560,
                                    .name = "Fake H200"};
    memcpy(bytes, &device, sizeof device);
    append(bytes, CUPTI_ACTIVITY_KIND_DEVICE);
}

static void append_context(void)
{
    unsigned char bytes[LONGEST_RECORD];
    memset(bytes, 0xA5, sizeof bytes);
    long green_sms = setting("FAKE_CUPTI_GREEN_SMS", 0);
    CUpti_ActivityContext2 context = {.kind = CUPTI_ACTIVITY_KIND_CONTEXT,
                                      .contextId = 1,
                                      .isGreenContext = green_sms > 0,
                                      .numMultiprocessors = (uint16_t)green_sms};
    memcpy(bytes, &context, record_bytes(CUPTI_ACTIVITY_KIND_CONTEXT) < sizeof context
                                ? sizeof(CUpti_ActivityContext)
                                : sizeof context);
    append(bytes, CUPTI_ACTIVITY_KIND_CONTEXT);
}

EXPORT void fake_start(void)
{
    pthread_atfork(NULL, NULL, after_fork);
    pthread_mutex_lock(&lock);
    append_device();
    append_context();
    pthread_mutex_unlock(&lock);
}
