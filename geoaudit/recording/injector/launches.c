/* Launch calls, counted exactly by a callback on the launch functions alone.
 *
 * The driver's functions are enough: the runtime launches through them, and its call and the
 * driver's have one correlation number (seen with CUPTI 12.2, 12.9 and 13.0). Callbacks on the runtime's
 * as well would double what a launch costs.
 */
#include "recorder.h"

static atomic_ullong launches_seen, graph_launches_seen, launches_failed, launches_captured;

static int has_failed(const CUpti_CallbackData *call)
{
    return call->functionReturnValue && *(const int *)call->functionReturnValue;
}

static void begin_launch(const CUpti_CallbackData *call)
{
    struct thread *thread = recorded_thread();
    /* A launch function of the driver may be made of another one. */
    if (!thread || thread->depth++)
        return;
    if (thread->told < thread->range_count)
        tell_open_ranges(thread);
    struct launch_record record = {0, call->correlationId, thread->number};
    api_GetTimestamp(&record.timestamp_ns);
    add_launch(thread, &record);
}

static void end_launch(CUpti_CallbackId id, const CUpti_CallbackData *call)
{
    struct thread *thread = recorded_thread();
    /* Depth 0: the call began before the recording did. */
    if (!thread || !thread->depth || --thread->depth)
        return;
    int is_graph = id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch ||
                   id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz;
    atomic_fetch_add(has_failed(call)    ? &launches_failed
                     : thread->capturing ? &launches_captured
                     : is_graph          ? &graph_launches_seen
                                         : &launches_seen,
                     1);
}

/* A launch while the thread captures a stream goes into a graph and makes no record. */
static void note_capture(const CUpti_CallbackData *call, int begins)
{
    struct thread *thread = recorded_thread();
    if (!thread)
        return;
    if (begins && !has_failed(call))
        thread->capturing++;
    else if (!begins && thread->capturing)
        thread->capturing--;
}

static const CUpti_CallbackId launches[] = {
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

static const CUpti_CallbackId capture_begins[] = {
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture,
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2,
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph,
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz,
};

static const CUpti_CallbackId capture_ends[] = {
    CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture,
    CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz,
};

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

static int is_in(CUpti_CallbackId id, const CUpti_CallbackId *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == id)
            return 1;
    return 0;
}

static void CUPTIAPI on_call(void *unused, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                             const void *data)
{
    (void)unused;
    (void)domain;
    const CUpti_CallbackData *call = data;
    int is_exit = call->callbackSite == CUPTI_API_EXIT;
    if (is_in(id, launches, COUNT_OF(launches))) {
        if (is_exit)
            end_launch(id, call);
        else
            begin_launch(call);
    } else if (is_exit) {
        note_capture(call, is_in(id, capture_begins, COUNT_OF(capture_begins)));
    }
}

/* NULL while nothing is recorded, and where the recorder yields to the process' own profiler. */
static CUpti_SubscriberHandle subscriber;

static void enable(const CUpti_CallbackId *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        api_EnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, list[i]);
}

CUptiResult subscribe(void)
{
    CUptiResult result = api_Subscribe(&subscriber, on_call, NULL);
    if (result != CUPTI_SUCCESS) {
        subscriber = NULL;
        return result;
    }
    enable(launches, COUNT_OF(launches));
    enable(capture_begins, COUNT_OF(capture_begins));
    enable(capture_ends, COUNT_OF(capture_ends));
    return CUPTI_SUCCESS;
}

void unsubscribe(void)
{
    if (subscriber)
        api_Unsubscribe(subscriber);
    subscriber = NULL;
}

void tell_counts(struct status_record *to)
{
    to->launches_seen = atomic_load(&launches_seen);
    to->graph_launches_seen = atomic_load(&graph_launches_seen);
    to->launches_failed = atomic_load(&launches_failed);
    to->launches_captured = atomic_load(&launches_captured);
}

void reset_counts(void)
{
    atomic_store(&launches_seen, 0);
    atomic_store(&graph_launches_seen, 0);
    atomic_store(&launches_failed, 0);
    atomic_store(&launches_captured, 0);
}
