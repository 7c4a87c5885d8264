import Glibc

/// Time since the machine started, for deadlines.
///
/// A `Duration` rather than a `ContinuousClock.Instant`: the size of an `Instant` is known only at
/// run time, and Swift 6.0.3 crashes on a `Mutex` of a structure that holds one behind its first
/// field.
enum Uptime {
    static var now: Duration {
        var time = timespec()
        // CLOCK_BOOTTIME is there since Linux 2.6.39, and fails only for an invalid pointer.
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
