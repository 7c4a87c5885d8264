/* A disk that fails when it is told to: preloaded, it lets writes and syncs of the files under
 * FAILING_DISK_FOLDER return EIO while the file FAILING_DISK_SWITCH exists. The switch holds the names of
 * what fails: "sync", "write", or both; with "full" it is ENOSPC, with "slow" it takes 300 ms. A failing
 * sync comes after the bytes were written, as it does on a real disk: what is in the file then is
 * anybody's guess. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* 0, or the error of this call. */
static int failure(int descriptor, const char *what)
{
    const char *folder = getenv("FAILING_DISK_FOLDER"), *control = getenv("FAILING_DISK_SWITCH");
    char link[64], path[4096], text[64];
    if (!folder || !control)
        return 0;
    int file = open(control, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    text[count < 0 ? 0 : count] = 0;
    if (!strstr(text, what))
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    count = readlink(link, path, sizeof path - 1);
    if (count < 0)
        return 0;
    path[count] = 0;
    if (strncmp(path, folder, strlen(folder)) != 0)
        return 0;
    if (strstr(text, "slow"))
        usleep(300000);
    return strstr(text, "full") ? ENOSPC : EIO;
}

#define ORIGINAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define UNLESS(what)                            \
    int error = failure(descriptor, what);      \
    if (error) {                                \
        errno = error;                          \
        return -1;                              \
    }

int fsync(int descriptor)
{
    UNLESS("sync")
    return ORIGINAL(fsync)(descriptor);
}

int fdatasync(int descriptor)
{
    UNLESS("sync")
    return ORIGINAL(fdatasync)(descriptor);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset)
{
    UNLESS("write")
    return ORIGINAL(pwrite)(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset)
{
    UNLESS("write")
    return ORIGINAL(pwrite64)(descriptor, bytes, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count)
{
    UNLESS("write")
    return ORIGINAL(write)(descriptor, bytes, count);
}
