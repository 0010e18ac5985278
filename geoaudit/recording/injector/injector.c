/* Records every kernel launch of the process it is loaded into.
 *
 * The CUDA driver loads the library named in CUDA_INJECTION64_PATH and calls InitializeInjection
 * when the process first initialises CUDA. From then on CUPTI hands over buffers of activity
 * records (activity.c), each thread notes its launches (launches.c) and NVTX ranges (ranges.c), and
 * all of it is appended to a file of this process (output.c). Nothing is ever printed and nothing
 * the process asked for is changed: where recording fails the process goes on unrecorded, and the
 * status says why.
 *
 * CUPTI's callbacks run on its own threads and on ours (the flusher); the launch callback and those
 * of NVTX run on the threads of the process.
 */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FLUSH_PERIOD_MS 500
/* Of CUDA 12.0: kernel records of older ones have another layout. */
#define OLDEST_CUPTI 19

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
    write_threads();
    pthread_mutex_lock(&writing);
    api_GetTimestamp(&status.timestamp_ns);
    tell_counts(&status);
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
    disable_activities();
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
static void finish(void)
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
    atomic_store(&is_counting, 0);
    pthread_mutex_lock(&writing);
    close_output();
    pthread_mutex_unlock(&writing);
}

/* End a recording that the process itself started with InitializeInjection, which may then be
 * called again. The process has waited for its kernels before. */
EXPORT void StopInjection(void)
{
    if (!is_running)
        return;
    finish();
    disable_activities();
    unsubscribe();
    atomic_flag_clear(&started);
}

/* A fork shares the file and has none of the other threads: it writes nothing, and makes the locks
 * anew, which another thread may have held. If it initialises CUDA of its own, the driver loads the
 * library there anew. */
static void forget_in_child(void)
{
    pthread_mutex_init(&writing, NULL);
    names_after_fork();
    threads_after_fork();
    is_running = 0;
    close_output();
}

/* ---- Start -------------------------------------------------------------------------------------- */

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

/* MPS may leave a process a part of the SMs; CUPTI does not tell. */
static float told_mps_percentage(void)
{
    const char *value = getenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
    float percentage = value ? strtof(value, NULL) : 0;
    return percentage > 0 && percentage <= 100 ? percentage : 0;
}

/* The subscription keeps the process' own profiler out. Who yields does without it, counts no
 * launches, and may be left without records where that profiler starts. */
static CUptiResult start_recording(void)
{
    int yields = getenv("GEOAUDIT_YIELD") != NULL;
    CUptiResult result = yields ? CUPTI_SUCCESS : subscribe();
    if (result != CUPTI_SUCCESS)
        return result; /* the kinds that are on are another profiler's */
    result = enable_activities();
    if (result != CUPTI_SUCCESS) {
        disable_activities();
        unsubscribe();
    }
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
static void begin_anew(void)
{
    memset(&status, 0, sizeof status);
    reset_counts();
    forget_numbers();
    atomic_fetch_add(&recordings_started, 1);
    atomic_store(&is_counting, 1);
}

static void prepare_process(void)
{
    threads_start();
    pthread_atfork(NULL, NULL, forget_in_child);
    atexit(finish);
}

void once_per_process(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_process);
}

/* Write no more, but let it be tried again. */
static void give_up(void)
{
    atomic_store(&is_counting, 0);
    close_output();
    atomic_flag_clear(&started);
}

/* CUPTI's time, ns, for a process that records itself; 0 before it ever did. */
EXPORT uint64_t RecordingTime(void)
{
    uint64_t now = 0;
    if (api_GetTimestamp)
        api_GetTimestamp(&now);
    return now;
}

/* Called by the CUDA driver, or by a process that records itself. Returns 1 in any case: a process
 * is never refused CUDA for the sake of its recording. */
EXPORT int InitializeInjection(void)
{
    if (atomic_flag_test_and_set(&started) || !open_output())
        return 1;
    if (!load_cupti()) {
        give_up(); /* an empty file: CUPTI was not found */
        return 1;
    }
    write_header(told_rank(), told_mps_percentage());
    once_per_process();
    begin_anew();
    status.error = cupti_version < OLDEST_CUPTI ? CUPTI_ERROR_NOT_COMPATIBLE : start_recording();
    if (status.error != CUPTI_SUCCESS) {
        WRITE_RECORDS(BLOCK_STATUS, &status, 1);
        give_up();
        return 1;
    }
    start_flusher();
    return 1;
}
