/* Records every kernel launch of the process it is loaded into.
 *
 * The CUDA driver loads the library named in CUDA_INJECTION64_PATH and calls InitializeInjection
 * when the process first initialises CUDA. From then on CUPTI hands over buffers of activity
 * records; they are turned into the blocks of stream.h and appended to a file of this process.
 * Nothing is ever printed and nothing the process asked for is changed: where recording fails the
 * process goes on unrecorded, and the status says why.
 *
 * Threads: CUPTI's callbacks run on its own threads and on ours (the flusher); the launch callback
 * runs on the thread that launches and touches only that thread's buffer. `writing` guards all
 * that goes to the file and is never held while CUPTI is called.
 */
#define _GNU_SOURCE
#include <cupti.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "stream.h"

#define EXPORT __attribute__((visibility("default")))
#define BUFFER_BYTES (4u << 20)
#define BUFFER_ALIGNMENT 8
#define BATCH 1024
#define FLUSH_PERIOD_MS 500

/* ---- CUPTI, resolved at run time ------------------------------------------------------------ */

#define CUPTI_FUNCTIONS(X)                                                                        \
    X(GetVersion) X(GetTimestamp) X(Subscribe) X(Unsubscribe) X(EnableCallback)                   \
    X(SetThreadIdType) X(ActivityRegisterCallbacks) X(ActivityEnable) X(ActivityDisable)          \
    X(ActivityFlushAll) X(ActivityGetNextRecord) X(ActivityGetNumDroppedRecords)

#define DECLARE(name) static __typeof__(&cupti##name) api_##name;
CUPTI_FUNCTIONS(DECLARE)

static int resolve_cupti(void *library)
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
static void *open_cupti(void)
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

/* ---- The file ------------------------------------------------------------------------------- */

static int output = -1;
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static struct status_record status;
static atomic_int is_counting = 1;
static atomic_ullong launches_seen, graph_launches_seen, launches_failed, launches_captured;

/* The checksum of data that follow what has the checksum `before`; 1 where nothing is before. */
static uint32_t adler32(uint32_t before, const void *bytes, size_t size)
{
    const unsigned char *data = bytes;
    uint32_t a = before & 0xffff, b = before >> 16;
    while (size) {
        size_t part = size < 5552 ? size : 5552;
        size -= part;
        while (part--) {
            a += *data++;
            b += a;
        }
        a %= 65521;
        b %= 65521;
    }
    return b << 16 | a;
}

static int write_without_signal(const void *data, size_t size)
{
    const char *next = data;
    while (size) {
        ssize_t written = write(output, next, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return 0;
        next += written;
        size -= (size_t)written;
    }
    return 1;
}

/* A file-size limit of the process (ulimit -f) ends our file, not the process: its signal is held
 * back while we write, and taken away where our write raised it. */
static int write_all(const void *data, size_t size)
{
    sigset_t limit, pending, before;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &limit, &before);
    int is_written = write_without_signal(data, size);
    if (!is_written && errno == EFBIG && !sigismember(&pending, SIGXFSZ)) {
        const struct timespec at_once = {0, 0};
        sigtimedwait(&limit, NULL, &at_once);
        errno = EFBIG;
    }
    int reason = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return is_written;
}

/* Append a block. After a failed write (a full disk) the file is cut at a block, and its header,
 * which has its place on the disk already, says why. */
static void write_block(enum block_kind kind, size_t record_bytes, size_t count, const void *data,
                        size_t bytes)
{
    if (output < 0 || count == 0)
        return;
    struct block_header header = {GEOAUDIT_BLOCK_MAGIC, kind,           (uint32_t)record_bytes,
                                  (uint32_t)count,      (uint32_t)bytes, 0};
    header.checksum = adler32(1, &header, offsetof(struct block_header, checksum));
    header.checksum = adler32(header.checksum, data, bytes);
    off_t before = lseek(output, 0, SEEK_CUR);
    if (write_all(&header, sizeof header) && write_all(data, bytes))
        return;
    int32_t error = errno;
    if (ftruncate(output, before) ||
        pwrite(output, &error, sizeof error, offsetof(struct file_header, write_error)) < 0) {
        /* The reader stops at the cut block. */
    }
    close(output);
    output = -1;
}

#define WRITE_RECORDS(kind, records, count)                                                       \
    write_block(kind, sizeof *(records), count, records, (count) * sizeof *(records))

/* ---- Names: each string once, by a number ---------------------------------------------------- */

struct name_entry {
    const char *pointer; /* as CUPTI gave it: the key, checked against the copy */
    char *copy;
    uint32_t id;
};

static struct name_entry *names;
static size_t names_size, names_used;
static uint32_t next_name_id = 1;
static char *new_names;
static size_t new_names_bytes, new_names_room, new_names_count;

static size_t name_slot(const struct name_entry *table, size_t size, const char *pointer)
{
    size_t slot = ((uintptr_t)pointer >> 3) * 0x9E3779B97F4A7C15ull % size;
    while (table[slot].pointer && table[slot].pointer != pointer)
        slot = (slot + 1) % size;
    return slot;
}

static int grow_names(void)
{
    size_t size = names_size ? names_size * 2 : 1024;
    struct name_entry *table = calloc(size, sizeof *table);
    if (!table)
        return 0;
    for (size_t i = 0; i < names_size; i++)
        if (names[i].pointer)
            table[name_slot(table, size, names[i].pointer)] = names[i];
    free(names);
    names = table;
    names_size = size;
    return 1;
}

static void queue_name(uint32_t id, const char *name)
{
    uint32_t length = (uint32_t)strlen(name);
    size_t bytes = 2 * sizeof(uint32_t) + length;
    if (new_names_bytes + bytes > new_names_room) {
        size_t room = (new_names_bytes + bytes) * 2;
        char *larger = realloc(new_names, room);
        if (!larger)
            return;
        new_names = larger;
        new_names_room = room;
    }
    memcpy(new_names + new_names_bytes, &id, sizeof id);
    memcpy(new_names + new_names_bytes + sizeof id, &length, sizeof length);
    memcpy(new_names + new_names_bytes + 2 * sizeof id, name, length);
    new_names_bytes += bytes;
    new_names_count++;
}

/* The number of a string; 0 for none. A module that is unloaded may leave its pointer to another
 * name, so that the string is compared too. */
static uint32_t name_id(const char *name)
{
    if (!name)
        return 0;
    if (names_used * 2 >= names_size && !grow_names())
        return 0;
    struct name_entry *entry = &names[name_slot(names, names_size, name)];
    if (entry->pointer && strcmp(entry->copy, name) == 0)
        return entry->id;
    char *copy = strdup(name);
    if (!copy)
        return 0;
    if (entry->pointer)
        free(entry->copy);
    else
        names_used++;
    *entry = (struct name_entry){name, copy, next_name_id++};
    queue_name(entry->id, name);
    return entry->id;
}

/* A new file names its strings anew. */
static void forget_names(void)
{
    for (size_t i = 0; i < names_size; i++)
        free(names[i].copy);
    free(names);
    names = NULL;
    names_size = names_used = 0;
}

static void write_names(void)
{
    write_block(BLOCK_NAMES, 0, new_names_count, new_names, new_names_bytes);
    new_names_bytes = new_names_count = 0;
}

/* ---- Activity records ------------------------------------------------------------------------ */

static struct kernel_record kernels[BATCH];
static struct copy_record copies[BATCH];
static struct marker_record markers[BATCH];
static size_t kernel_count, copy_count, marker_count;

static void write_batches(void)
{
    write_names();
    WRITE_RECORDS(BLOCK_KERNELS, kernels, kernel_count);
    WRITE_RECORDS(BLOCK_COPIES, copies, copy_count);
    WRITE_RECORDS(BLOCK_MARKERS, markers, marker_count);
    kernel_count = copy_count = marker_count = 0;
}

/* Kernel records grow at their end from one CUPTI to the next: the fields of version 9 (CUDA 12)
 * stand at the same places in all later ones. */
static void take_kernel(const CUpti_ActivityKernel9 *record)
{
    status.kernel_records++;
    if (!record->start && !record->end)
        status.untimed_records++;
    kernels[kernel_count++] = (struct kernel_record){
        .start_ns = record->start,
        .end_ns = record->end,
        .graph_node_id = record->graphNodeId,
        .name_id = name_id(record->name),
        .device = record->deviceId,
        .context = record->contextId,
        .stream = record->streamId,
        .correlation_id = record->correlationId,
        .graph_id = record->graphId,
        .grid = {record->gridX, record->gridY, record->gridZ},
        .block = {record->blockX, record->blockY, record->blockZ},
        .cluster = {record->clusterX, record->clusterY, record->clusterZ},
        .static_shared_bytes = (uint32_t)record->staticSharedMemory,
        .dynamic_shared_bytes = (uint32_t)record->dynamicSharedMemory,
        .shared_config_bytes = record->sharedMemoryExecuted,
        .max_active_clusters = record->maxActiveClusters,
        .registers_per_thread = record->registersPerThread,
        .launch_type = record->launchType,
    };
}

static void take_copy(const CUpti_ActivityMemcpy5 *record)
{
    copies[copy_count++] = (struct copy_record){
        .start_ns = record->start,
        .end_ns = record->end,
        .bytes = record->bytes,
        .graph_node_id = record->graphNodeId,
        .device = record->deviceId,
        .context = record->contextId,
        .stream = record->streamId,
        .correlation_id = record->correlationId,
        .graph_id = record->graphId,
        .copy_kind = record->copyKind,
        .source_kind = record->srcKind,
        .destination_kind = record->dstKind,
    };
}

static void take_set(const CUpti_ActivityMemset4 *record)
{
    copies[copy_count++] = (struct copy_record){
        .start_ns = record->start,
        .end_ns = record->end,
        .bytes = record->bytes,
        .graph_node_id = record->graphNodeId,
        .device = record->deviceId,
        .context = record->contextId,
        .stream = record->streamId,
        .correlation_id = record->correlationId,
        .graph_id = record->graphId,
        .is_set = 1,
    };
}

static void take_marker(const CUpti_ActivityMarker2 *record)
{
    markers[marker_count++] = (struct marker_record){
        .timestamp_ns = record->timestamp,
        .marker_id = record->id,
        .flags = record->flags,
        .thread = record->objectId.pt.threadId,
        .name_id = name_id(record->name),
        .domain_id = name_id(record->domain),
    };
}

static void take_device(const CUpti_ActivityDevice4 *record)
{
    struct device_record device = {
        .memory_bytes = record->globalMemorySize,
        .device = record->id,
        .capability_major = record->computeCapabilityMajor,
        .capability_minor = record->computeCapabilityMinor,
        .sm_count = record->numMultiprocessors,
        .threads_per_warp = record->numThreadsPerWarp,
        .max_warps_per_sm = record->maxWarpsPerMultiprocessor,
        .max_blocks_per_sm = record->maxBlocksPerMultiprocessor,
        .registers_per_sm = record->maxRegistersPerMultiprocessor,
        .shared_bytes_per_sm = record->maxSharedMemoryPerMultiprocessor,
        .l2_bytes = record->l2CacheSize,
        .is_mig = record->isMigEnabled,
    };
    memcpy(device.uuid, &record->uuid, sizeof device.uuid);
    if (record->name)
        snprintf(device.name, sizeof device.name, "%s", record->name);
    write_block(BLOCK_DEVICES, sizeof device, 1, &device, sizeof device);
}

static uint32_t cupti_version;

static void take_context(const CUpti_ActivityContext2 *record)
{
    /* The SM count of a context came with CUDA 12.4's record. */
    int told = cupti_version >= 22;
    struct context_record context = {
        .context = record->contextId,
        .device = record->deviceId,
        .sm_count = told ? record->numMultiprocessors : 0,
        .is_green = told ? record->isGreenContext : 0,
    };
    write_block(BLOCK_CONTEXTS, sizeof context, 1, &context, sizeof context);
}

static void take(const CUpti_Activity *record)
{
    switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL: take_kernel((const void *)record); break;
    case CUPTI_ACTIVITY_KIND_MEMCPY: take_copy((const void *)record); break;
    case CUPTI_ACTIVITY_KIND_MEMSET: take_set((const void *)record); break;
    case CUPTI_ACTIVITY_KIND_MARKER: take_marker((const void *)record); break;
    case CUPTI_ACTIVITY_KIND_DEVICE: take_device((const void *)record); break;
    case CUPTI_ACTIVITY_KIND_CONTEXT: take_context((const void *)record); break;
    default: break;
    }
    if (kernel_count == BATCH || copy_count == BATCH || marker_count == BATCH)
        write_batches();
}

static void CUPTIAPI on_buffer_requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
    *buffer = aligned_alloc(BUFFER_ALIGNMENT, BUFFER_BYTES);
    *size = *buffer ? BUFFER_BYTES : 0;
    *max_records = 0;
}

static void CUPTIAPI on_buffer_completed(CUcontext context, uint32_t stream, uint8_t *buffer,
                                         size_t size, size_t valid)
{
    (void)size;
    pthread_mutex_lock(&writing);
    CUpti_Activity *record = NULL;
    while (valid && api_ActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
        take(record);
    size_t dropped = 0;
    if (api_ActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS)
        status.dropped_records += dropped;
    write_batches();
    pthread_mutex_unlock(&writing);
    free(buffer);
}

/* ---- Launches, counted and placed ------------------------------------------------------------- */

struct launch_buffer {
    pthread_mutex_t lock;
    struct launch_buffer *next;
    uint32_t thread;
    uint32_t depth;     /* launch calls the thread is in: the runtime's calls the driver's */
    uint32_t capturing; /* captures of a stream that the thread began and did not end */
    unsigned recording; /* the recording that `depth` was counted in */
    size_t count;
    struct launch_record records[BATCH];
};

static pthread_mutex_t listing = PTHREAD_MUTEX_INITIALIZER;
static struct launch_buffer *launch_buffers;
static pthread_key_t launch_buffer_key;
static __thread struct launch_buffer *own_buffer;
static atomic_uint recordings_started;

static void write_launches(struct launch_buffer *buffer)
{
    pthread_mutex_lock(&writing);
    WRITE_RECORDS(BLOCK_LAUNCHES, buffer->records, buffer->count);
    pthread_mutex_unlock(&writing);
    buffer->count = 0;
}

static void retire_launch_buffer(void *pointer)
{
    struct launch_buffer *buffer = pointer;
    pthread_mutex_lock(&listing);
    for (struct launch_buffer **link = &launch_buffers; *link; link = &(*link)->next)
        if (*link == buffer) {
            *link = buffer->next;
            break;
        }
    pthread_mutex_unlock(&listing);
    write_launches(buffer);
    own_buffer = NULL;
    free(buffer);
}

static struct launch_buffer *thread_buffer(void)
{
    if (own_buffer)
        return own_buffer;
    struct launch_buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        return NULL;
    pthread_mutex_init(&buffer->lock, NULL);
    buffer->thread = (uint32_t)syscall(SYS_gettid);
    pthread_mutex_lock(&listing);
    buffer->next = launch_buffers;
    launch_buffers = buffer;
    pthread_mutex_unlock(&listing);
    pthread_setspecific(launch_buffer_key, buffer);
    return own_buffer = buffer;
}

/* The buffer of the calling thread while launches are counted, or NULL. */
static struct launch_buffer *counting_buffer(void)
{
    struct launch_buffer *buffer = atomic_load(&is_counting) ? thread_buffer() : NULL;
    unsigned recording = atomic_load(&recordings_started);
    if (buffer && buffer->recording != recording) {
        /* A call that was open when the last recording was stopped never came to its end. */
        buffer->recording = recording;
        buffer->depth = buffer->capturing = 0;
    }
    return buffer;
}

static int is_graph_launch(CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
    if (domain == CUPTI_CB_DOMAIN_RUNTIME_API)
        return id == CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000 ||
               id == CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_ptsz_v10000;
    return id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch ||
           id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz;
}

/* A runtime launch calls the driver's; the outermost call is the one records are joined by. */
static void on_launch(CUpti_CallbackDomain domain, CUpti_CallbackId id,
                      const CUpti_CallbackData *call)
{
    struct launch_buffer *buffer = counting_buffer();
    if (!buffer)
        return;
    if (call->callbackSite == CUPTI_API_ENTER) {
        if (buffer->depth++)
            return;
        struct launch_record record = {0, call->correlationId, buffer->thread};
        api_GetTimestamp(&record.timestamp_ns);
        pthread_mutex_lock(&buffer->lock);
        buffer->records[buffer->count++] = record;
        if (buffer->count == BATCH)
            write_launches(buffer);
        pthread_mutex_unlock(&buffer->lock);
        return;
    }
    /* Depth 0: the call began before the recording did. */
    if (!buffer->depth || --buffer->depth)
        return;
    int failed = call->functionReturnValue && *(const int *)call->functionReturnValue;
    atomic_fetch_add(failed                        ? &launches_failed
                     : buffer->capturing           ? &launches_captured
                     : is_graph_launch(domain, id) ? &graph_launches_seen
                                                   : &launches_seen,
                     1);
}

/* A launch while the thread captures a stream goes into a graph and makes no record. The runtime's
 * call holds the driver's: both are counted at the begin and at the end. */
static void note_capture(const CUpti_CallbackData *call, int begins)
{
    struct launch_buffer *buffer = counting_buffer();
    int failed = call->functionReturnValue && *(const int *)call->functionReturnValue;
    if (!buffer || call->callbackSite != CUPTI_API_EXIT)
        return;
    if (begins && !failed)
        buffer->capturing++;
    else if (!begins && buffer->capturing)
        buffer->capturing--;
}

#define CAPTURES(X)                                                                               \
    X(RUNTIME, cudaStreamBeginCapture_v10000, 1)                                                  \
    X(RUNTIME, cudaStreamBeginCapture_ptsz_v10000, 1)                                             \
    X(RUNTIME, cudaStreamBeginCaptureToGraph_v12030, 1)                                           \
    X(RUNTIME, cudaStreamBeginCaptureToGraph_ptsz_v12030, 1)                                      \
    X(RUNTIME, cudaStreamEndCapture_v10000, 0)                                                    \
    X(RUNTIME, cudaStreamEndCapture_ptsz_v10000, 0)                                               \
    X(DRIVER, cuStreamBeginCapture, 1)                                                            \
    X(DRIVER, cuStreamBeginCapture_ptsz, 1)                                                       \
    X(DRIVER, cuStreamBeginCapture_v2, 1)                                                         \
    X(DRIVER, cuStreamBeginCapture_v2_ptsz, 1)                                                    \
    X(DRIVER, cuStreamBeginCaptureToGraph, 1)                                                     \
    X(DRIVER, cuStreamBeginCaptureToGraph_ptsz, 1)                                                \
    X(DRIVER, cuStreamEndCapture, 0)                                                              \
    X(DRIVER, cuStreamEndCapture_ptsz, 0)

/* All that is subscribed to: launches, and the begin and end of captures. */
static void CUPTIAPI on_call(void *unused, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                             const void *data)
{
    (void)unused;
#define CAPTURE(kind, name, begins)                                                               \
    if (domain == CUPTI_CB_DOMAIN_##kind##_API && id == CUPTI_##kind##_TRACE_CBID_##name) {       \
        note_capture(data, begins);                                                               \
        return;                                                                                   \
    }
    CAPTURES(CAPTURE)
    on_launch(domain, id, data);
}

static const CUpti_CallbackId runtime_launches[] = {
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_ptsz_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_ptsz_v9000,
    CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000,
    CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_ptsz_v10000,
};

static const CUpti_CallbackId driver_launches[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunch,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchGrid,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
};

/* NULL while nothing is recorded, and where the recorder yields to the process' own profiler. */
static CUpti_SubscriberHandle subscriber;

static void enable_callbacks(void)
{
#define ENABLE(kind, name, begins)                                                                \
    api_EnableCallback(1, subscriber, CUPTI_CB_DOMAIN_##kind##_API,                               \
                       CUPTI_##kind##_TRACE_CBID_##name);
    CAPTURES(ENABLE)
    for (size_t i = 0; i < sizeof runtime_launches / sizeof *runtime_launches; i++)
        api_EnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, runtime_launches[i]);
    for (size_t i = 0; i < sizeof driver_launches / sizeof *driver_launches; i++)
        api_EnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, driver_launches[i]);
}

/* ---- What is recorded ---------------------------------------------------------------------------- */

/* The concurrent kind of kernel records: the other one runs kernels one at a time. */
static const CUpti_ActivityKind recorded_kinds[] = {
    CUPTI_ACTIVITY_KIND_DEVICE, CUPTI_ACTIVITY_KIND_CONTEXT, CUPTI_ACTIVITY_KIND_MEMCPY,
    CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_MARKER,  CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
};

/* ---- Flushing ---------------------------------------------------------------------------------- */

static pthread_t flusher;
static pthread_mutex_t stopping = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stop_asked;
static atomic_int stopped;
static int is_running;
static atomic_flag started = ATOMIC_FLAG_INIT;

static void flush(int forced)
{
    api_ActivityFlushAll(forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
    pthread_mutex_lock(&listing);
    for (struct launch_buffer *buffer = launch_buffers; buffer; buffer = buffer->next) {
        pthread_mutex_lock(&buffer->lock);
        write_launches(buffer);
        pthread_mutex_unlock(&buffer->lock);
    }
    pthread_mutex_unlock(&listing);
    pthread_mutex_lock(&writing);
    api_GetTimestamp(&status.timestamp_ns);
    status.launches_seen = atomic_load(&launches_seen);
    status.graph_launches_seen = atomic_load(&graph_launches_seen);
    status.launches_failed = atomic_load(&launches_failed);
    status.launches_captured = atomic_load(&launches_captured);
    status.finished = (uint32_t)forced;
    WRITE_RECORDS(BLOCK_STATUS, &status, 1);
    pthread_mutex_unlock(&writing);
}

/* Stop taking records, but go on counting time until the process ends. Counting launches ends
 * first: what was counted has a record. */
static void stop_taking(void)
{
    atomic_store(&is_counting, 0);
    api_ActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    for (size_t i = 0; i < sizeof recorded_kinds / sizeof *recorded_kinds; i++)
        api_ActivityDisable(recorded_kinds[i]);
}

static void *flush_now_and_then(void *unused)
{
    const char *duration = getenv("GEOAUDIT_DURATION_MS");
    long periods = duration ? (atol(duration) + FLUSH_PERIOD_MS - 1) / FLUSH_PERIOD_MS : -1;
    pthread_mutex_lock(&stopping);
    while (!stopped) {
        struct timespec when;
        clock_gettime(CLOCK_MONOTONIC, &when);
        when.tv_nsec += FLUSH_PERIOD_MS * 1000000L;
        when.tv_sec += when.tv_nsec / 1000000000L;
        when.tv_nsec %= 1000000000L;
        while (!stopped && pthread_cond_timedwait(&stop_asked, &stopping, &when) == 0) {
        }
        pthread_mutex_unlock(&stopping);
        if (periods > 0 && --periods == 0)
            stop_taking();
        if (!stopped)
            flush(0);
        pthread_mutex_lock(&stopping);
    }
    pthread_mutex_unlock(&stopping);
    return unused;
}

/* Write what CUPTI still holds and end the recording, at the end of the process. */
EXPORT void FinishInjection(void)
{
    if (!is_running)
        return;
    is_running = 0;
    pthread_mutex_lock(&stopping);
    stopped = 1;
    pthread_cond_signal(&stop_asked);
    pthread_mutex_unlock(&stopping);
    pthread_join(flusher, NULL);
    flush(1);
    /* Other threads may go on launching while the process ends. */
    pthread_mutex_lock(&writing);
    if (output >= 0)
        close(output);
    output = -1;
    pthread_mutex_unlock(&writing);
}

/* Let CUPTI go, so that the process can be recorded again or by another profiler. */
static void release_cupti(void)
{
    for (size_t i = 0; i < sizeof recorded_kinds / sizeof *recorded_kinds; i++)
        api_ActivityDisable(recorded_kinds[i]);
    if (subscriber)
        api_Unsubscribe(subscriber);
    subscriber = NULL;
}

/* End a recording that the process itself started with InitializeInjection, which may then be
 * called again. The process has waited for its kernels before. */
EXPORT void StopInjection(void)
{
    if (!is_running)
        return;
    FinishInjection();
    release_cupti();
    atomic_flag_clear(&started);
}

/* Write no more. */
static void forget(void)
{
    is_running = 0;
    if (output >= 0)
        close(output);
    output = -1;
}

/* A fork shares the file and none of the threads: it writes nothing, and takes none of the locks,
 * which another thread may have held. If it initialises CUDA of its own, the driver loads the
 * library there anew. */
static void forget_in_child(void)
{
    atomic_store(&is_counting, 0);
    pthread_setspecific(launch_buffer_key, NULL);
    own_buffer = NULL;
    forget();
}

/* ---- Start -------------------------------------------------------------------------------------- */

static int open_output(void)
{
    const char *folder = getenv("GEOAUDIT_RECORDING");
    char path[4096];
    if (!folder || snprintf(path, sizeof path, "%s/%d.geoaudit", folder, (int)getpid()) >= 4096)
        return 0;
    output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    return output >= 0;
}

/* The rank that the launcher of a distributed run told the process. */
static int32_t told_rank(void)
{
    static const char *const variables[] = {"RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID",
                                            "LOCAL_RANK"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        char *end = NULL;
        long rank = value ? strtol(value, &end, 10) : -1;
        if (value && end != value && *end == 0 && rank >= 0 && rank <= INT32_MAX)
            return (int32_t)rank;
    }
    return -1;
}

static void write_header(void)
{
    struct file_header header = {.version = GEOAUDIT_STREAM_VERSION,
                                 .process = (uint32_t)getpid(),
                                 .cupti_version = cupti_version,
                                 .rank = told_rank()};
    snprintf(header.program, sizeof header.program, "%s", program_invocation_short_name);
    memcpy(header.magic, GEOAUDIT_STREAM_MAGIC, sizeof header.magic);
    api_GetTimestamp(&header.started_ns);
    int (*driver_version)(int *) = (int (*)(int *))dlsym(RTLD_DEFAULT, "cuDriverGetVersion");
    void *driver = driver_version ? NULL : dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (driver)
        driver_version = (int (*)(int *))dlsym(driver, "cuDriverGetVersion");
    int version = 0;
    if (driver_version && driver_version(&version) == 0)
        header.driver_version = (uint32_t)version;
    header.checksum = adler32(1, &header, offsetof(struct file_header, checksum));
    write_all(&header, sizeof header);
}

static CUptiResult start_recording(void)
{
    /* The subscription keeps the process' own profiler out. Who yields does without it, counts no
     * launches, and may be left without records where that profiler starts. */
    int yields = getenv("GEOAUDIT_YIELD") != NULL;
    CUptiResult result = yields ? CUPTI_SUCCESS : api_Subscribe(&subscriber, on_call, NULL);
    if (result != CUPTI_SUCCESS) {
        subscriber = NULL;
        return result;
    }
    api_SetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
    result = api_ActivityRegisterCallbacks(on_buffer_requested, on_buffer_completed);
    for (size_t i = 0; result == CUPTI_SUCCESS && i < sizeof recorded_kinds / sizeof *recorded_kinds;
         i++)
        result = api_ActivityEnable(recorded_kinds[i]);
    if (result == CUPTI_SUCCESS && !yields)
        enable_callbacks();
    return result;
}

static void start_flusher(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&stop_asked, &attributes);
    pthread_condattr_destroy(&attributes);
    stopped = 0;
    is_running = pthread_create(&flusher, NULL, flush_now_and_then, NULL) == 0;
}

/* What a recording counts starts at 0. */
static void reset_counts(void)
{
    memset(&status, 0, sizeof status);
    atomic_store(&launches_seen, 0);
    atomic_store(&graph_launches_seen, 0);
    atomic_store(&launches_failed, 0);
    atomic_store(&launches_captured, 0);
    atomic_store(&is_counting, 1);
    atomic_fetch_add(&recordings_started, 1);
    pthread_mutex_lock(&writing);
    forget_names();
    pthread_mutex_unlock(&writing);
}

static void once_per_process(void)
{
    pthread_key_create(&launch_buffer_key, retire_launch_buffer);
    pthread_atfork(NULL, NULL, forget_in_child);
    atexit(FinishInjection);
}

/* Called by the CUDA driver, or by a process that records itself. Returns 1 in any case: a process
 * is never refused CUDA for the sake of its recording. */
EXPORT int InitializeInjection(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (atomic_flag_test_and_set(&started) || !open_output())
        return 1;
    void *library = open_cupti();
    if (!library || !resolve_cupti(library)) {
        forget(); /* an empty file: CUPTI was not found */
        atomic_flag_clear(&started);
        return 1;
    }
    api_GetVersion(&cupti_version);
    write_header();
    pthread_once(&once, once_per_process);
    reset_counts();
    status.error = (uint32_t)start_recording();
    if (status.error != CUPTI_SUCCESS) {
        WRITE_RECORDS(BLOCK_STATUS, &status, 1);
        forget();
        if (subscriber)
            release_cupti(); /* without it the kinds that are on are another profiler's */
        atomic_flag_clear(&started);
        return 1;
    }
    start_flusher();
    return 1;
}
