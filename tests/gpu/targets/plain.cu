// 1,000 plain launches and 10 clustered ones; then an end of the kind told. `busy` goes on for two
// seconds with a kernel always in flight, says how many are done, and is killed.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

__global__ void plain(int *p) { *p = 1; }
__global__ void __cluster_dims__(4, 1, 1) clustered(int *p) { *p = 1; }
__global__ void faulting(int *p) { *p = 1; }

__global__ void five_milliseconds()
{
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - start < 5000000);
}

static void stay_busy()
{
    cudaEvent_t before, after;
    cudaEventCreate(&before);
    cudaEventCreate(&after);
    five_milliseconds<<<1, 1>>>();
    cudaEventRecord(before);
    int done = 0;
    for (; done < 400; done++) {
        five_milliseconds<<<1, 1>>>();
        cudaEventRecord(after);
        cudaEventSynchronize(before);
        cudaEvent_t other = before;
        before = after;
        after = other;
    }
    std::printf("done %d\n", done);
    std::fflush(stdout);
    raise(SIGKILL);
}

static int launches()
{
    int *p;
    if (cudaMalloc(&p, 4) != cudaSuccess)
        return 1;
    for (int i = 0; i < 1000; i++)
        plain<<<7, 33, 128>>>(p);
    for (int i = 0; i < 10; i++)
        clustered<<<8, 64>>>(p);
    cudaMemset(p, 0, 4);
    return cudaDeviceSynchronize() != cudaSuccess;
}

int main(int count, char **arguments)
{
    const char *way = count > 1 ? arguments[1] : "return";
    if (!strcmp(way, "fork")) {
        for (int child = 0; child < 2; child++)
            if (fork() == 0)
                exit(launches());
        int status, failed = 0;
        while (wait(&status) > 0)
            failed |= status;
        return failed != 0;
    }
    if (launches())
        return 1;
    if (!strcmp(way, "busy"))
        stay_busy();
    if (strcmp(way, "return"))
        usleep(1200 * 1000); // longer than the recorder's period
    if (!strcmp(way, "kill"))
        raise(SIGKILL);
    if (!strcmp(way, "segv"))
        raise(SIGSEGV);
    if (!strcmp(way, "abort"))
        abort();
    if (!strcmp(way, "_exit"))
        _exit(7);
    if (!strcmp(way, "cuda_error")) {
        faulting<<<1, 1>>>((int *)8);
        return cudaDeviceSynchronize() == cudaSuccess ? 0 : 5;
    }
    return 0;
}
