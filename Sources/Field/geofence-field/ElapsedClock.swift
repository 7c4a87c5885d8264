import Glibc
import Timekeeping

/// The clocks of a session in real time.
enum ElapsedClock {
    /// CLOCK_BOOTTIME, seconds.
    static var seconds: Double {
        var now = timespec()
        clock_gettime(CLOCK_BOOTTIME, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }

    /// Processor time of this thread, seconds.
    static var processorSeconds: Double {
        var now = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }

    /// CLOCK_REALTIME.
    static var utc: UTCTime {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return UTCTime(
            millisecondsSince1970: Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000)
    }

    /// The last whole second of CLOCK_REALTIME, on which receivers have an epoch.
    static var wholeSecond: UTCTime {
        let now = utc
        return now.advanced(byMilliseconds: -(now.millisecondsSince1970 % 1000))
    }

    static func sleep(milliseconds: Int) {
        var time = timespec(
            tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
        nanosleep(&time, nil)
    }
}
