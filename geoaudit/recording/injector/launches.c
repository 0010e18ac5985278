/* Launch calls, counted exactly by a callback on the launch functions alone.
 *
 * The driver's functions are enough: the runtime launches through them, and its call and the
 * driver's have one correlation number (seen with CUPTI 12.2, 12.9 and 13.0). Callbacks on the runtime's
 * as well would double what a launch costs.
 */
#include "recorder.h"

#include <dlfcn.h>

static atomic_ullong launches_seen, graph_launches_seen, launches_failed, launches_captured;

static int has_failed(const CUpti_CallbackData *call)
{
    return call->functionReturnValue && *(const int *)call->functionReturnValue;
}

/* ---- Captures: a launch into a stream that is captured goes into a graph and makes no record ------ */

static atomic_int captures_open; /* of any thread; a capture may be ended by another one */

/* The stream of a call; the variants for per-thread streams have the same parameters. */
static CUstream stream_of(CUpti_CallbackId id, const void *parameters)
{
    switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
        return ((const cuLaunchKernel_params *)parameters)->hStream;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
        return ((const cuLaunchKernelEx_params *)parameters)->config->hStream;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
        return ((const cuLaunchCooperativeKernel_params *)parameters)->hStream;
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz:
        return ((const cuGraphLaunch_params *)parameters)->hStream;
    default: return NULL;
    }
}

typedef CUresult is_capturing_function(CUstream stream, CUstreamCaptureStatus *status);

static is_capturing_function *ask_driver(void)
{
    static is_capturing_function *_Atomic found;
    if (!found) {
        void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        found = (is_capturing_function *)dlsym(driver ? driver : RTLD_DEFAULT, "cuStreamIsCapturing");
    }
    return found;
}

static int is_captured(CUpti_CallbackId id, const CUpti_CallbackData *call)
{
    is_capturing_function *ask = atomic_load(&captures_open) > 0 ? ask_driver() : NULL;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return ask && call->functionParams && ask(stream_of(id, call->functionParams), &status) == 0 &&
           status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

static void note_capture(const CUpti_CallbackData *call, int begins)
{
    if (begins && !has_failed(call))
        atomic_fetch_add(&captures_open, 1);
    /* A capture ends whether ending it fails or not; it may have begun before the recording. */
    else if (!begins && atomic_load(&captures_open) > 0)
        atomic_fetch_sub(&captures_open, 1);
}

/* ---- Launches -------------------------------------------------------------------------------------- */

static void begin_launch(CUpti_CallbackId id, const CUpti_CallbackData *call)
{
    struct thread *thread = recorded_thread();
    /* A launch function of the driver may be made of another one. */
    if (!thread || thread->depth++)
        return;
    thread->is_capturing = is_captured(id, call);
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
    atomic_fetch_add(has_failed(call)       ? &launches_failed
                     : thread->is_capturing ? &launches_captured
                     : is_graph             ? &graph_launches_seen
                                            : &launches_seen,
                     1);
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
            begin_launch(id, call);
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

unsigned long long count_launches(void)
{
    return atomic_load(&launches_seen);
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
