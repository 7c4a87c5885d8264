import Glibc

/// CLOCK_MONOTONIC for time-outs inside one process; it stands still while the machine sleeps.
enum MonotonicClock {
    static var milliseconds: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}
