/* A program that "uses CUDA": loads what CUDA_INJECTION64_PATH names, as the driver does, and
 * launches through the fake CUPTI what its arguments say, in their order:
 *
 *   threads N      from here on N threads launch, each what is said
 *   launch N       N launches of the driver's call (runtime N: of the runtime's)
 *   fail N         N launches that return an error
 *   capture N      N launches that go into a graph and run nothing
 *   graph L K      L launches of a graph of K kernels
 *   copy N, set N  N copies or sets of 4096 bytes
 *   push NAME, push DOMAIN:NAME, pop      an NVTX range on the main thread (needs no CUDA)
 *   registered NAME, wide NAME            the same, of a registered string or of wide characters
 *   start NAME, end                       a range of the process, and the end of the last one
 *   name NAME, grid X, cluster X          of the kernels from here on
 *   leaving-thread a thread that opens a range and ends; deep N: N ranges that stay open
 *   close-all FILE all descriptors are closed, as a daemon does, and a file is opened and written
 *   exit-in-handler  ranges are opened and closed until a timer's handler exits with 9
 *   wait-for-term  SIGTERM is blocked, sent to the process and waited for
 *   again          the recording is stopped and started anew, as a process that records itself does
 *   unload NAME    the kernel's name is replaced in its place
 *   sleep MS, print TEXT, complain TEXT, echo (standard input), memory (prints its growth)
 *   exec           the program is replaced by itself, which goes on with the arguments
 *   fork N         N children before CUDA is there; they go on with the arguments, we wait
 *   late-fork      a child after CUDA is there, which launches, leaves a thread, and exits 0
 *   background     a thread that launches until the process ends
 *   exit N, _exit N, return N, abort, kill, segv, interrupted (exits 9 at SIGINT)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "fake_cupti.h"

static fake_start_function *start;
static fake_launch_function *launch;
static fake_graph_function *graph_launch;
static fake_capture_function *capture;
static fake_copy_function *copy;
static int (*initialize)(void);
static void (*stop)(void);
static fake_unload_function *unload;

static int is_capturing;

/* The driver's: the recorder asks it of the stream of each launch while there is a capture. */
int cuStreamIsCapturing(void *stream, int *status);
int cuStreamIsCapturing(void *stream, int *status)
{
    *status = stream == (void *)7 && is_capturing;
    return 0;
}

static char kernel_name[256] = "decode_kernel";
static struct fake_kernel kernel = {kernel_name, {12, 1, 1}, {128, 1, 1}, {0, 0, 0}, 0, 0};
static int is_up;
static int threads = 1;

/* What cuInit does. */
static void bring_cuda_up(void)
{
    if (is_up)
        return;
    is_up = 1;
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *injected = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (injected) {
        initialize = (int (*)(void))dlsym(injected, "InitializeInjection");
        stop = (void (*)(void))dlsym(injected, "StopInjection");
    }
    if (path && !initialize)
        fprintf(stderr, "target: %s\n", dlerror());
    if (initialize)
        initialize();
    void *cupti = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
    if (!cupti || !(start = (fake_start_function *)dlsym(cupti, "fake_start")))
        return;
    launch = (fake_launch_function *)dlsym(cupti, "fake_launch");
    graph_launch = (fake_graph_function *)dlsym(cupti, "fake_graph_launch");
    capture = (fake_capture_function *)dlsym(cupti, "fake_capture");
    copy = (fake_copy_function *)dlsym(cupti, "fake_copy");
    unload = (fake_unload_function *)dlsym(cupti, "fake_unload");
    start();
}

struct work {
    struct fake_kernel kernel;
    long launches;
    int nodes; /* of a graph; 0: no graph */
};

static void *work_on(void *pointer)
{
    const struct work *work = pointer;
    for (long i = 0; launch && i < work->launches; i++)
        if (work->nodes)
            graph_launch(&work->kernel, 3, work->nodes);
        else
            launch(&work->kernel);
    return NULL;
}

static void on_threads(struct work work)
{
    pthread_t started[64];
    for (int i = 0; i < threads && threads > 1; i++)
        pthread_create(&started[i], NULL, work_on, &work);
    for (int i = 0; i < threads && threads > 1; i++)
        pthread_join(started[i], NULL);
    if (threads == 1)
        work_on(&work);
}

static void *launch_for_ever(void *unused)
{
    for (long i = 1; launch; i++) {
        launch(&kernel);
        if (i % 64 == 0)
            usleep(50);
    }
    return unused;
}

static void wait_for_children(int children)
{
    for (int i = 0; i < children; i++) {
        int status = 0;
        if (wait(&status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status)) {
            fprintf(stderr, "target: a child ended with status %d\n", status);
            exit(70);
        }
    }
}

/* 1 in a child, which is to go on. */
static int fork_children(int children)
{
    for (int i = 0; i < children; i++)
        if (fork() == 0)
            return 1;
    wait_for_children(children);
    return 0;
}

static void fork_late(void)
{
    if (fork() == 0) {
        alarm(30);
        pthread_t thread;
        struct work work = {kernel, 100, 0};
        work_on(&work);
        pthread_create(&thread, NULL, work_on, &work);
        pthread_join(thread, NULL);
        exit(0);
    }
    wait_for_children(1);
}

static long resident_pages(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1)
        exit(71);
    fclose(file);
    return pages;
}

static void print_growth(void)
{
    static long before;
    long now = resident_pages();
    if (before)
        printf("%ld\n", (now - before) * sysconf(_SC_PAGESIZE));
    before = now;
}

static void echo(void)
{
    char line[4096];
    while (fgets(line, sizeof line, stdin))
        fputs(line, stdout);
}

static void on_interrupt(int signal_number)
{
    /* Whoever interrupts a group may be followed by who passes the signal on. */
    signal(signal_number, SIG_IGN);
    exit(9); /* as programs do whose handler ends them in order */
}

static void wait_for_interrupt(void)
{
    signal(SIGINT, on_interrupt);
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}

static void sleep_ms(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static nvtxDomainHandle_t open_domains[64];
static int open_count;
static nvtxRangeId_t last_started;

static void push_message(nvtxDomainHandle_t domain, nvtxMessageType_t type, nvtxMessageValue_t message)
{
    nvtxEventAttributes_t event = {.version = NVTX_VERSION,
                                   .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                   .messageType = type,
                                   .message = message};
    nvtxDomainRangePushEx(domain, &event);
    open_domains[open_count++] = domain;
}

static void push_range(char *name)
{
    char *colon = strchr(name, ':');
    if (colon)
        *colon = 0;
    nvtxDomainHandle_t domain = colon ? nvtxDomainCreateA(name) : NULL;
    nvtxMessageValue_t message = {.ascii = colon ? colon + 1 : name};
    push_message(domain, NVTX_MESSAGE_TYPE_ASCII, message);
}

static void push_registered(const char *name)
{
    nvtxMessageValue_t message = {.registered = nvtxDomainRegisterStringA(NULL, name)};
    push_message(NULL, NVTX_MESSAGE_TYPE_REGISTERED, message);
}

static void push_wide(const char *name)
{
    wchar_t wide[64];
    swprintf(wide, 64, L"%s \u00e9\u20ac\U0001F600", name);
    nvtxRangePushW(wide);
    open_domains[open_count++] = NULL;
}

static void *leave_open(void *unused)
{
    nvtxRangePushA("left open");
    return unused;
}

static void run_leaving_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, leave_open, NULL);
    pthread_join(thread, NULL);
}

static void close_all(const char *path)
{
    for (int descriptor = 3; descriptor < 1024; descriptor++)
        close(descriptor);
    int own = -1;
    while (own < 600) /* in the place of any that was there */
        own = open(path, O_WRONLY | O_CREAT, 0644);
    if (write(own, "own data", 8) != 8)
        exit(73);
}

static void wait_for_term(void)
{
    sigset_t term;
    int got = 0;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &term, NULL);
    usleep(100000);
    kill(getpid(), SIGTERM);
    sigwait(&term, &got);
    printf("got %d\n", got);
}

static void exit_with_9(int signal_number)
{
    (void)signal_number;
    exit(9);
}

static void exit_in_handler(void)
{
    signal(SIGALRM, exit_with_9);
    ualarm(20000, 0);
    for (;;) {
        nvtxRangePushA("short");
        nvtxRangePop();
    }
}

static int is(const char *word, const char *other)
{
    return strcmp(word, other) == 0;
}

/* Words that need no CUDA; how many arguments they took besides themselves, or -1. */
static int plain_word(const char *word, char **rest)
{
    if (is(word, "sleep")) { sleep_ms(atol(rest[0])); return 1; }
    if (is(word, "print")) { puts(rest[0]); fflush(stdout); return 1; }
    if (is(word, "complain")) { fprintf(stderr, "%s\n", rest[0]); return 1; }
    if (is(word, "echo")) { echo(); return 0; }
    if (is(word, "threads")) { threads = atoi(rest[0]); return 1; }
    if (is(word, "name")) { snprintf(kernel_name, sizeof kernel_name, "%s", rest[0]); return 1; }
    if (is(word, "grid")) { kernel.grid[0] = atoi(rest[0]); return 1; }
    if (is(word, "cluster")) {
        kernel.cluster[0] = (uint32_t)atoi(rest[0]);
        kernel.cluster[1] = kernel.cluster[2] = 1;
        return 1;
    }
    if (is(word, "memory")) { print_growth(); return 0; }
    if (is(word, "push")) { push_range(rest[0]); return 1; }
    if (is(word, "registered")) { push_registered(rest[0]); return 1; }
    if (is(word, "wide")) { push_wide(rest[0]); return 1; }
    if (is(word, "pop")) { nvtxDomainRangePop(open_domains[--open_count]); return 0; }
    if (is(word, "leaving-thread")) { run_leaving_thread(); return 0; }
    if (is(word, "close-all")) { close_all(rest[0]); return 1; }
    if (is(word, "exit-in-handler")) exit_in_handler();
    if (is(word, "wait-for-term")) { wait_for_term(); return 0; }
    if (is(word, "deep")) {
        for (long i = 0; i < atol(rest[0]); i++)
            nvtxRangePushA("deeper");
        return 1;
    }
    if (is(word, "start")) { last_started = nvtxRangeStartA(rest[0]); return 1; }
    if (is(word, "end")) { nvtxRangeEnd(last_started); return 0; }
    if (is(word, "exit")) exit(atoi(rest[0]));
    if (is(word, "_exit")) _exit(atoi(rest[0]));
    if (is(word, "abort")) abort();
    if (is(word, "kill")) raise(SIGKILL);
    if (is(word, "segv")) { signal(SIGSEGV, SIG_DFL); raise(SIGSEGV); }
    if (is(word, "interrupted")) wait_for_interrupt();
    return -1;
}

static int cuda_word(const char *word, char **rest)
{
    bring_cuda_up();
    struct work work = {kernel, rest[0] ? atol(rest[0]) : 0, 0};
    if (is(word, "up")) return 0;
    if (is(word, "launch")) { on_threads(work); return 1; }
    if (is(word, "runtime")) { work.kernel.is_runtime_call = 1; on_threads(work); return 1; }
    if (is(word, "fail")) { work.kernel.fails = 1; on_threads(work); return 1; }
    if (is(word, "capture")) {
        capture(1);
        is_capturing = 1;
        on_threads(work);
        is_capturing = 0;
        capture(0);
        return 1;
    }
    if (is(word, "again")) {
        stop();
        initialize();
        return 0;
    }
    if (is(word, "graph")) { work.nodes = atoi(rest[1]); on_threads(work); return 2; }
    if (is(word, "copy") || is(word, "set")) {
        for (long i = 0; copy && i < work.launches; i++)
            copy(4096, is(word, "set"));
        return 1;
    }
    if (is(word, "unload")) { unload(kernel_name, rest[0]); return 1; }
    if (is(word, "late-fork")) { fork_late(); return 0; }
    if (is(word, "background")) {
        pthread_t thread;
        pthread_create(&thread, NULL, launch_for_ever, NULL);
        pthread_detach(thread);
        return 0;
    }
    fprintf(stderr, "target: unknown word %s\n", word);
    exit(72);
}

int main(int count, char **arguments)
{
    alarm(120); /* a hang is a failure, not a wait */
    for (int i = 1; i < count; i++) {
        const char *word = arguments[i];
        char **rest = arguments + i + 1;
        if (is(word, "return"))
            return atoi(rest[0]);
        if (is(word, "exec")) {
            arguments[i] = arguments[0];
            execv(arguments[0], arguments + i);
        }
        if (is(word, "fork")) {
            fork_children(atoi(rest[0]));
            i++;
            continue;
        }
        int taken = plain_word(word, rest);
        i += taken >= 0 ? taken : cuda_word(word, rest);
    }
    return 0;
}
