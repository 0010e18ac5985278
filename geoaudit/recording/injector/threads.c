/* Launches and ranges are noted by the thread they are made on, in a buffer of its own, so that
 * threads do not wait for one another. The flusher empties all buffers now and then. */
#include "recorder.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t listing = PTHREAD_MUTEX_INITIALIZER;
static struct thread *threads;
static pthread_key_t key;
static int has_key;
static __thread struct thread *own;
__thread volatile sig_atomic_t locks_held;
atomic_int is_counting;
atomic_uint recordings_started;

/* With the lock of the thread held. */
static void write_thread(struct thread *thread)
{
    pthread_mutex_lock(&writing);
    write_names();
    WRITE_RECORDS(BLOCK_MARKERS, thread->markers, thread->marker_count);
    WRITE_RECORDS(BLOCK_LAUNCHES, thread->launches, thread->launch_count);
    pthread_mutex_unlock(&writing);
    thread->marker_count = thread->launch_count = 0;
}

static void retire(void *pointer)
{
    struct thread *thread = pointer;
    if (recorded_thread())
        tell_ends(thread);
    pthread_mutex_lock(&listing);
    for (struct thread **link = &threads; *link; link = &(*link)->next)
        if (*link == thread) {
            *link = thread->next;
            break;
        }
    pthread_mutex_unlock(&listing);
    write_thread(thread);
    own = NULL;
    free(thread->ranges);
    free(thread);
}

struct thread *this_thread(void)
{
    if (own)
        return own;
    struct thread *thread = has_key ? calloc(1, sizeof *thread) : NULL;
    if (!thread)
        return NULL;
    pthread_mutex_init(&thread->lock, NULL);
    thread->number = (uint32_t)syscall(SYS_gettid);
    take_lock(&listing);
    thread->next = threads;
    threads = thread;
    give_lock(&listing);
    pthread_setspecific(key, thread);
    return own = thread;
}

struct thread *recorded_thread(void)
{
    struct thread *thread = atomic_load(&is_counting) ? this_thread() : NULL;
    unsigned recording = atomic_load(&recordings_started);
    if (thread && thread->recording != recording) {
        /* A call that was open when the last recording was stopped never came to its end. */
        thread->recording = recording;
        thread->depth = 0;
        thread->told = 0;
        pthread_mutex_lock(&thread->lock);
        thread->launch_count = thread->marker_count = 0;
        pthread_mutex_unlock(&thread->lock);
    }
    return thread;
}

void add_launch(struct thread *thread, const struct launch_record *record)
{
    take_lock(&thread->lock);
    thread->launches[thread->launch_count++] = *record;
    if (thread->launch_count == LAUNCH_BATCH)
        write_thread(thread);
    give_lock(&thread->lock);
}

void add_marker(struct thread *thread, const struct marker_record *record)
{
    take_lock(&thread->lock);
    thread->markers[thread->marker_count++] = *record;
    if (thread->marker_count == MARKER_BATCH)
        write_thread(thread);
    give_lock(&thread->lock);
}

void write_threads(void)
{
    pthread_mutex_lock(&listing);
    for (struct thread *thread = threads; thread; thread = thread->next) {
        pthread_mutex_lock(&thread->lock);
        write_thread(thread);
        pthread_mutex_unlock(&thread->lock);
    }
    pthread_mutex_unlock(&listing);
}

/* Of the threads only the one that forked is there, under another number, in the same ranges. */
static void after_fork(void)
{
    atomic_store(&is_counting, 0);
    names_after_fork();
    pthread_mutex_init(&listing, NULL);
    threads = own;
    uint32_t before = own ? own->number : 0, now = (uint32_t)syscall(SYS_gettid);
    ranges_after_fork(before, now);
    if (!own)
        return;
    pthread_mutex_init(&own->lock, NULL);
    own->next = NULL;
    own->number = now;
    own->depth = 0;
    own->told = own->launch_count = own->marker_count = 0;
}

static void start_once(void)
{
    has_key = pthread_key_create(&key, retire) == 0;
    pthread_atfork(NULL, NULL, after_fork);
}

void threads_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_once);
}
