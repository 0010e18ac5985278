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

#include <signal.h>
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
    if (forced)
        await_buffers(count_launches());
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

/* How many periods records are taken for; -1: to the end. */
static long told_periods(void)
{
    const char *duration = getenv("GEOAUDIT_DURATION_MS");
    return duration ? (atol(duration) + FLUSH_PERIOD_MS - 1) / FLUSH_PERIOD_MS : -1;
}

static void *flush_now_and_then(void *told)
{
    long periods = (long)(intptr_t)told;
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
    return NULL;
}

/* Write what CUPTI still holds and end the recording, at the end of the process. */
static void finish(void)
{
    /* Rather half a second lost than a process that never ends. */
    if (!is_running || locks_held)
        return;
    is_running = 0;
    pthread_mutex_lock(&stopping);
    stopped = 1;
    pthread_cond_signal(&stop_asked);
    pthread_mutex_unlock(&stopping);
    pthread_join(flusher, NULL);
    /* Other threads may go on launching: what is counted has a record. */
    atomic_store(&is_counting, 0);
    flush(1);
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
    /* What came meanwhile is of no recording, and not of the next one. */
    api_ActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    atomic_flag_clear(&started);
}

/* A fork shares the file and has none of the other threads: it writes nothing, and makes the lock
 * anew, which another thread may have held. If it initialises CUDA of its own, the driver calls us
 * there anew. */
static void forget_in_child(void)
{
    pthread_mutex_init(&writing, NULL);
    is_running = 0;
    close_output();
}

/* ---- Start -------------------------------------------------------------------------------------- */

/* A variable's number; -1: it is not there, or holds something else. */
static int32_t told_number(const char *variable)
{
    const char *value = getenv(variable);
    char *end = NULL;
    long number = value ? strtol(value, &end, 10) : -1;
    int is_number = value && end != value && *end == 0 && number >= 0 && number <= INT32_MAX;
    return is_number ? (int32_t)number : -1;
}

/* The process' place in a distributed run, as the launcher told it: torchrun, Open MPI, MPICH,
 * Slurm. SLURM_NTASKS would be that of the allocation, in which a lone process runs as well. */
static void told_place(int32_t *rank, int32_t *ranks)
{
    static const char *const variables[][2] = {
        {"RANK", "WORLD_SIZE"},
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
        {"PMI_RANK", "PMI_SIZE"},
        {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
        {"LOCAL_RANK", "LOCAL_WORLD_SIZE"},
    };
    *rank = *ranks = -1;
    for (size_t i = 0; i < sizeof variables / sizeof *variables && *rank < 0; i++) {
        *rank = told_number(variables[i][0]);
        *ranks = told_number(variables[i][1]);
    }
    if (*rank < 0 || *ranks <= *rank)
        *ranks = -1;
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

/* With all signals blocked: those of the process are its own threads' to handle. */
static int start_flusher(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&stop_asked, &attributes);
    pthread_condattr_destroy(&attributes);
    stopped = 0;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    void *periods = (void *)(intptr_t)told_periods();
    is_running = pthread_create(&flusher, NULL, flush_now_and_then, periods) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_running;
}

/* Once in a process, and not before CUPTI is there: what it does at exit must come after what we do. */
static void prepare_process(void)
{
    pthread_atfork(NULL, NULL, forget_in_child);
    atexit(finish);
}

/* What a recording counts starts at 0. With `writing` held. */
static void begin_anew(void)
{
    memset(&status, 0, sizeof status);
    reset_counts();
    forget_numbers();
    atomic_fetch_add(&recordings_started, 1);
}

/* Why nothing is recorded; 0 where it is. */
static uint32_t start_with_cupti(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_process);
    if (cupti_version < OLDEST_CUPTI)
        return CUPTI_ERROR_NOT_COMPATIBLE;
    CUptiResult result = start_recording();
    if (result != CUPTI_SUCCESS)
        return result;
    /* From here on: what is counted has a record. */
    atomic_store(&is_counting, 1);
    tell_started_ranges();
    if (start_flusher())
        return 0;
    atomic_store(&is_counting, 0);
    disable_activities();
    unsubscribe();
    return CUPTI_ERROR_OUT_OF_MEMORY;
}

/* Open the file of a recording; 0 where there is none. */
static int begin_output(void)
{
    pthread_mutex_lock(&writing);
    int32_t rank, ranks;
    told_place(&rank, &ranks);
    int is_begun = open_output() && write_header(rank, ranks, told_mps_percentage());
    if (is_begun)
        begin_anew();
    else
        close_output();
    pthread_mutex_unlock(&writing);
    return is_begun;
}

/* Write why nothing is recorded, and let it be tried again. */
static void give_up(uint32_t error)
{
    pthread_mutex_lock(&writing);
    status.error = error;
    WRITE_RECORDS(BLOCK_STATUS, &status, 1);
    close_output();
    pthread_mutex_unlock(&writing);
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
    if (atomic_flag_test_and_set(&started))
        return 1;
    threads_start();
    int is_there = load_cupti();
    if (!begin_output()) {
        atomic_flag_clear(&started);
        return 1;
    }
    uint32_t error = is_there ? start_with_cupti() : GEOAUDIT_NO_CUPTI;
    if (error)
        give_up(error);
    return 1;
}
