/* CUPTI's activity records: kernels, copies, devices and contexts, from its buffers to the file. */
#include "recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BUFFER_BYTES (4u << 20)
#define SMALLEST_BUFFER_BYTES (4u << 10)
#define BUFFER_ALIGNMENT 8
#define BATCH 1024

struct status_record status;
static struct kernel_record kernels[BATCH];
static struct copy_record copies[BATCH];
static size_t kernel_count, copy_count;
static atomic_ullong eager_records;

static void write_batches(void)
{
    write_names();
    WRITE_RECORDS(BLOCK_KERNELS, kernels, kernel_count);
    WRITE_RECORDS(BLOCK_COPIES, copies, copy_count);
    kernel_count = copy_count = 0;
}

/* The number of a kernel's name, found by its place in memory: CUPTI gives the same one again and
 * again. A module that is unloaded may leave its place to another name, so the text is compared. */
static uint32_t kernel_name(const char *text)
{
    static struct {
        const char *place;
        struct name *name;
    } recent[1024];
    if (!text)
        return 0;
    size_t slot = ((uintptr_t)text >> 3) * 0x9E3779B97F4A7C15ull >> 54;
    if (recent[slot].place != text || !is_name(recent[slot].name, text)) {
        struct name *name = intern(text);
        if (!name)
            return 0;
        recent[slot].place = text;
        recent[slot].name = name;
    }
    return name_number(recent[slot].name);
}

/* Kernel records grow at their end from one CUPTI to the next: the fields of version 9 (CUDA 12)
 * stand at the same places in all later ones. */
static void take_kernel(const CUpti_ActivityKernel9 *record)
{
    status.kernel_records++;
    atomic_fetch_add(&eager_records, record->graphId == 0);
    if (!record->start && !record->end)
        status.untimed_records++;
    kernels[kernel_count++] = (struct kernel_record){
        .start_ns = record->start,
        .end_ns = record->end,
        .graph_node_id = record->graphNodeId,
        .name_id = kernel_name(record->name),
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

static void take_context(const CUpti_ActivityContext2 *record)
{
    /* Whether a context is green came with the record of CUDA 12.4, its SM count with 12.5's. */
    struct context_record context = {
        .context = record->contextId,
        .device = record->deviceId,
        .sm_count = cupti_version >= 23 ? record->numMultiprocessors : 0,
        .is_green = cupti_version >= 22 ? record->isGreenContext : 0,
    };
    write_block(BLOCK_CONTEXTS, sizeof context, 1, &context, sizeof context);
}

static void take(const CUpti_Activity *record)
{
    switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: take_kernel((const void *)record); break;
    case CUPTI_ACTIVITY_KIND_MEMCPY: take_copy((const void *)record); break;
    case CUPTI_ACTIVITY_KIND_MEMSET: take_set((const void *)record); break;
    case CUPTI_ACTIVITY_KIND_DEVICE: take_device((const void *)record); break;
    case CUPTI_ACTIVITY_KIND_CONTEXT: take_context((const void *)record); break;
    default: break;
    }
    if (kernel_count == BATCH || copy_count == BATCH)
        write_batches();
}

/* ---- Buffers ------------------------------------------------------------------------------------ */

/* CUPTI asks for a buffer on the thread that launches. So buffers are used again, with their pages
 * in place, and emptied on CUPTI's own thread: it need not fill them with zeros itself. */
#define SPARE_BUFFERS 4

static pthread_mutex_t sparing = PTHREAD_MUTEX_INITIALIZER;
static uint8_t *spare[SPARE_BUFFERS];
static size_t spare_count;

static atomic_int buffers_out; /* that CUPTI has */

static void give_back(uint8_t *buffer, size_t room)
{
    memset(buffer, 0, room);
    atomic_fetch_sub(&buffers_out, 1);
    pthread_mutex_lock(&sparing);
    int is_kept = spare_count < SPARE_BUFFERS;
    if (is_kept)
        spare[spare_count++] = buffer;
    pthread_mutex_unlock(&sparing);
    if (!is_kept)
        free(buffer);
}

/* CUPTI keeps a buffer back while a kernel in it runs, also from a flush. So as not to lose more than
 * about a second where the process is killed, a buffer has room for what lately came in a quarter
 * of a second. With `sparing` held. */
static size_t buffer_room(void)
{
    static size_t room = SMALLEST_BUFFER_BYTES;
    static struct timespec before;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double seconds = (double)(now.tv_sec - before.tv_sec) + (double)(now.tv_nsec - before.tv_nsec) * 1e-9;
    before = now;
    if (seconds < 0.125 && room < BUFFER_BYTES)
        room *= 2;
    else if (seconds > 0.5 && room > SMALLEST_BUFFER_BYTES)
        room /= 2;
    return room;
}

static uint8_t *new_buffer(void)
{
    uint8_t *buffer = aligned_alloc(BUFFER_ALIGNMENT, BUFFER_BYTES);
    return buffer ? memset(buffer, 0, BUFFER_BYTES) : NULL;
}

static void CUPTIAPI on_buffer_requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
    pthread_mutex_lock(&sparing);
    *buffer = spare_count ? spare[--spare_count] : NULL;
    size_t room = buffer_room();
    pthread_mutex_unlock(&sparing);
    if (!*buffer)
        *buffer = new_buffer();
    atomic_fetch_add(&buffers_out, *buffer != NULL);
    *size = *buffer ? room : 0;
    *max_records = 0;
}

static void CUPTIAPI on_buffer_completed(CUcontext context, uint32_t stream, uint8_t *buffer,
                                         size_t size, size_t valid)
{
    pthread_mutex_lock(&writing);
    CUpti_Activity *record = NULL;
    while (valid && api_ActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
        take(record);
    size_t dropped = 0;
    if (api_ActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS)
        status.dropped_records += dropped;
    write_batches();
    pthread_mutex_unlock(&writing);
    /* A record may have been begun after the last whole one. */
    give_back(buffer, size);
}

/* A flush does not wait for the buffers that CUPTI's own thread is about to hand over. Nor does
 * CUPTI give back all of them: so until they are fewer no more, and all launches have records. */
void await_buffers(unsigned long long launches)
{
    const struct timespec moment = {0, 5000000};
    int before = atomic_load(&buffers_out);
    for (int turns = 0, unchanged = 0; turns < 100 && before; turns++) {
        nanosleep(&moment, NULL);
        int now = atomic_load(&buffers_out);
        unchanged = now == before ? unchanged + 1 : 0;
        before = now;
        if (unchanged >= 10 && atomic_load(&eager_records) >= launches)
            return;
    }
}

/* ---- What is recorded --------------------------------------------------------------------------- */

/* The concurrent kind of kernel records: the other one runs kernels one at a time. */
static const CUpti_ActivityKind kinds[] = {
    CUPTI_ACTIVITY_KIND_DEVICE, CUPTI_ACTIVITY_KIND_CONTEXT, CUPTI_ACTIVITY_KIND_MEMCPY,
    CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
};

CUptiResult enable_activities(void)
{
    atomic_store(&eager_records, 0);
    uint8_t zeroed = 1;
    size_t size = sizeof zeroed;
    /* Where CUPTI does not know the attribute it fills buffers with zeros itself. */
    api_ActivitySetAttribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &size, &zeroed);
    api_SetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
    while (spare_count < SPARE_BUFFERS / 2 && (spare[spare_count] = new_buffer()))
        spare_count++;
    CUptiResult result = api_ActivityRegisterCallbacks(on_buffer_requested, on_buffer_completed);
    for (size_t i = 0; result == CUPTI_SUCCESS && i < sizeof kinds / sizeof *kinds; i++)
        result = api_ActivityEnable(kinds[i]);
    return result;
}

void disable_activities(void)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        api_ActivityDisable(kinds[i]);
}
