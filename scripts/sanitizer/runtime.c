/* Preloaded into a program built with the thread sanitizer: tells it of what Swift's own libraries do,
 * which are not built with it. Nothing is silenced; these say which of two things comes before the other.
 *
 * Synchronization.Mutex: its fast path is compiled into the program, where the sanitizer sees its atomics.
 * Once two threads compete, lock and unlock go on in libswiftSynchronization.so, and what the two do
 * would be taken for a data race. These stand before the library's functions (which the linker finds
 * later) and say what they do: an acquire and a release at the mutex's word, where the fast path has its
 * own.
 *
 * Counts of references: a copy of an array may end on one thread, and another one then finds that its own
 * is the only one left and appends in place. The first is a release, the second an acquire. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

/* Of the sanitizer's run time; absent in programs without it. */
extern void __tsan_acquire(void *word) __attribute__((weak));
extern void __tsan_release(void *word) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *word
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void mutex_lock(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool mutex_try_lock(SELF) __asm__(TRY_LOCK);
SWIFT void mutex_unlock(SELF) __asm__(UNLOCK);

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

SWIFT void mutex_lock(uint32_t thread, SELF) {
    ((SWIFT void (*)(uint32_t, SELF))next(LOCK))(thread, word);
    if (__tsan_acquire) __tsan_acquire(word);
}

SWIFT bool mutex_try_lock(SELF) {
    bool is_locked = ((SWIFT bool (*)(SELF))next(TRY_LOCK))(word);
    if (is_locked && __tsan_acquire) __tsan_acquire(word);
    return is_locked;
}

SWIFT void mutex_unlock(SELF) {
    if (__tsan_release) __tsan_release(word);
    ((SWIFT void (*)(SELF))next(UNLOCK))(word);
}

#define RELEASE(name, parameters, arguments)                                   \
    void name parameters {                                                     \
        static void (*original) parameters;                                    \
        if (!original) original = (void (*) parameters)next(#name);            \
        if (object && __tsan_release) __tsan_release(object);                  \
        original arguments;                                                    \
    }

RELEASE(swift_release, (void *object), (object))
RELEASE(swift_release_n, (void *object, uint32_t count), (object, count))

bool swift_isUniquelyReferenced_nonNull_native(const void *object) {
    static bool (*original)(const void *);
    if (!original) {
        original = (bool (*)(const void *))next("swift_isUniquelyReferenced_nonNull_native");
    }
    bool is_unique = original(object);
    if (is_unique && __tsan_acquire) __tsan_acquire((void *)object);
    return is_unique;
}
