/* The file of a process, and the blocks of stream.h that are appended to it. */
#include "recorder.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static int output = -1;
static struct stat opened; /* what `output` was opened on */

/* A process that closes all descriptors (a daemon does) may have opened its own file in our place. */
static int is_ours(void)
{
    struct stat now;
    return output >= 0 && fstat(output, &now) == 0 && now.st_dev == opened.st_dev &&
           now.st_ino == opened.st_ino;
}

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
void write_block(enum block_kind kind, size_t record_bytes, size_t count, const void *data,
                 size_t bytes)
{
    if (count == 0 || output < 0)
        return;
    if (!is_ours()) {
        output = -1;
        return;
    }
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

/* Out of the way of programs that count on the next descriptor. */
static void move_up(void)
{
    int moved = output < 0 ? -1 : fcntl(output, F_DUPFD_CLOEXEC, 500);
    if (moved < 0)
        return;
    close(output);
    output = moved;
}

/* A file of its own for each recording: the process may be recorded again, replace its program by
 * another (exec), or have the number of one that ended. */
int open_output(void)
{
    const char *folder = getenv("GEOAUDIT_RECORDING");
    for (int again = 0; folder && again < 10000; again++) {
        char path[4096], suffix[16] = "";
        if (again)
            snprintf(suffix, sizeof suffix, "-%d", again);
        if (snprintf(path, sizeof path, "%s/%d%s.geoaudit", folder, (int)getpid(), suffix) >= 4096)
            return 0;
        output = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (output >= 0 || errno != EEXIST)
            break;
    }
    move_up();
    return output >= 0 && fstat(output, &opened) == 0;
}

void close_output(void)
{
    if (is_ours())
        close(output);
    output = -1;
}

static uint32_t driver_version(void)
{
    int (*ask)(int *) = (int (*)(int *))dlsym(RTLD_DEFAULT, "cuDriverGetVersion");
    void *driver = ask ? NULL : dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (driver)
        ask = (int (*)(int *))dlsym(driver, "cuDriverGetVersion");
    int version = 0;
    return ask && ask(&version) == 0 ? (uint32_t)version : 0;
}

int write_header(int32_t rank, int32_t ranks, float mps_percentage)
{
    struct file_header header = {.version = GEOAUDIT_STREAM_VERSION,
                                 .process = (uint32_t)getpid(),
                                 .cupti_version = cupti_version,
                                 .driver_version = driver_version(),
                                 .rank = rank,
                                 .ranks = ranks,
                                 .mps_percentage = mps_percentage};
    snprintf(header.program, sizeof header.program, "%s", program_invocation_short_name);
    memcpy(header.magic, GEOAUDIT_STREAM_MAGIC, sizeof header.magic);
    if (api_GetTimestamp)
        api_GetTimestamp(&header.started_ns);
    header.checksum = adler32(1, &header, offsetof(struct file_header, checksum));
    return write_all(&header, sizeof header);
}
