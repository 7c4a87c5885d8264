/* Preloaded into a program: its wall clock is WRONG_CLOCK_S seconds off, and the kernel calls it
 * synchronised only once the file WRONG_CLOCK_SYNCHRONISED exists. The time since the boot is ahead by
 * the seconds (eight bytes) in the file WRONG_CLOCK_AHEAD. All other clocks are true. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

static time_t offset(void) {
    const char *text = getenv("WRONG_CLOCK_S");
    return text ? (time_t)strtoll(text, NULL, 10) : 0;
}

static const volatile int64_t *ahead;

__attribute__((constructor)) static void map(void) {
    const char *path = getenv("WRONG_CLOCK_AHEAD");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (page != MAP_FAILED) ahead = page;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += offset();
    if (result == 0 && clock == CLOCK_BOOTTIME && ahead) now->tv_sec += (time_t)*ahead;
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

int adjtimex(struct timex *query) {
    const char *marker = getenv("WRONG_CLOCK_SYNCHRONISED");
    int is_synchronised = marker && access(marker, F_OK) == 0;
    query->status = is_synchronised ? 0 : STA_UNSYNC;
    return is_synchronised ? TIME_OK : TIME_ERROR;
}
