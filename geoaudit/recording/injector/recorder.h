/* What the files of the recorder share: one section for each file, in the order data flows.
 *
 * Locks, outermost first: `starting` (ranges.c), `listing` (threads.c), the one of a thread,
 * `writing` (output.c), `naming` (names.c). No call that may wait for CUPTI's own threads is made
 * while one is held.
 */
#ifndef GEOAUDIT_RECORDER_H
#define GEOAUDIT_RECORDER_H

#define _GNU_SOURCE
#include <cupti.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "stream.h"

#define EXPORT __attribute__((visibility("default")))

/* ---- Locks that the program's own threads take -------------------------------------------------- */

/* How many of them this thread holds or is about to: a signal's handler may end the process there. */
extern __thread volatile sig_atomic_t locks_held;

static inline void take_lock(pthread_mutex_t *lock)
{
    locks_held++;
    pthread_mutex_lock(lock);
}

static inline void give_lock(pthread_mutex_t *lock)
{
    pthread_mutex_unlock(lock);
    locks_held--;
}

/* ---- cupti.c: CUPTI's functions, resolved at run time ------------------------------------------ */

#define CUPTI_FUNCTIONS(X)                                                                        \
    X(GetVersion) X(GetTimestamp) X(Subscribe) X(Unsubscribe) X(EnableCallback)                   \
    X(SetThreadIdType) X(ActivityRegisterCallbacks) X(ActivityEnable) X(ActivityDisable)          \
    X(ActivityFlushAll) X(ActivityGetNextRecord) X(ActivityGetNumDroppedRecords)                  \
    X(ActivitySetAttribute)

#define DECLARE(name) extern __typeof__(&cupti##name) api_##name;
CUPTI_FUNCTIONS(DECLARE)
#undef DECLARE

extern uint32_t cupti_version;

int load_cupti(void); /* 0: there is none that has all these functions */

/* ---- output.c: the file -------------------------------------------------------------------------- */

extern pthread_mutex_t writing;

/* All of these with `writing` held, or where no other thread is. */
int open_output(void);
int write_header(int32_t rank, int32_t ranks, float mps_percentage);
void write_block(enum block_kind kind, size_t record_bytes, size_t count, const void *data,
                 size_t bytes);
void close_output(void);

#define WRITE_RECORDS(kind, records, count)                                                       \
    write_block(kind, sizeof *(records), count, records, (count) * sizeof *(records))

/* ---- names.c: each string once, by a number ------------------------------------------------------ */

struct name;

struct name *intern(const char *text); /* NULL for NULL, and without memory; lives for ever */
int is_name(const struct name *name, const char *text);
uint32_t name_number(struct name *name); /* in this recording; 0 for NULL */
void write_names(void);                  /* with `writing` held */
void forget_numbers(void);               /* a new file numbers its names anew */
void names_after_fork(void);

/* ---- activity.c: CUPTI's records ------------------------------------------------------------------ */

extern struct status_record status; /* guarded by `writing` */

CUptiResult enable_activities(void);
void disable_activities(void);
void await_buffers(unsigned long long launches); /* after a flush; launches: that were seen */

/* ---- threads.c: what each thread of the process has to tell --------------------------------------- */

#define LAUNCH_BATCH 1024
#define MARKER_BATCH 256

struct open_range {
    struct name *domain, *message;
    uint32_t id;
    int level; /* ranges of its domain that are open around it */
};

struct thread {
    pthread_mutex_t lock; /* of the records; all else is the thread's own */
    struct thread *next;
    uint32_t number;    /* the system's */
    uint32_t depth;     /* launch calls it is in */
    int is_capturing;   /* whether the outermost of them goes into a graph */
    unsigned recording; /* the recording that the fields above and `told` were counted in */
    struct open_range *ranges;
    size_t range_count, range_room;
    size_t told; /* so many of the open ranges, from the outermost, have a marker */
    size_t launch_count, marker_count;
    struct launch_record launches[LAUNCH_BATCH];
    struct marker_record markers[MARKER_BATCH];
};

extern atomic_int is_counting;
extern atomic_uint recordings_started;

struct thread *this_thread(void);     /* NULL without memory */
struct thread *recorded_thread(void); /* NULL also while nothing is recorded */
void add_launch(struct thread *thread, const struct launch_record *record);
void add_marker(struct thread *thread, const struct marker_record *record);
void write_threads(void);
void threads_start(void); /* as often as one likes */

/* ---- ranges.c: NVTX ranges ------------------------------------------------------------------------ */

void tell_open_ranges(struct thread *thread);
void tell_ends(struct thread *thread);
void tell_started_ranges(void);
void ranges_after_fork(uint32_t before, uint32_t now); /* numbers of the thread that forked */

/* ---- launches.c: launch calls, counted and placed ------------------------------------------------- */

CUptiResult subscribe(void);
void unsubscribe(void);
void tell_counts(struct status_record *to);
unsigned long long count_launches(void);
void reset_counts(void);

#endif
