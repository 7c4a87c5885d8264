import Glibc

/// CLOCK_MONOTONIC, for time-outs inside one process; it stands still while the machine sleeps.
public enum MonotonicClock {
    public static var microseconds: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
    }

    public static var milliseconds: Int64 { microseconds / 1000 }
}
