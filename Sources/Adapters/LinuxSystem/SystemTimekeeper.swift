import CLinux
import Glibc
import Timekeeping

/// The clocks of this machine.
public struct SystemTimekeeper: Timekeeper {
    public let bootID: BootID
    private let synchronisedMarker: String

    public init() {
        self.init(
            bootIDPath: "/proc/sys/kernel/random/boot_id",
            synchronisedMarker: "/run/systemd/timesync/synchronized")
    }

    init(bootIDPath: String, synchronisedMarker: String) {
        bootID = Self.readBootID(bootIDPath) ?? Self.makeBootID()
        self.synchronisedMarker = synchronisedMarker
    }

    public var uptime: Uptime {
        Uptime(milliseconds: Self.milliseconds(CLOCK_BOOTTIME))
    }

    public var awakeMilliseconds: Int64 { MonotonicClock.milliseconds }

    /// Since the boot, suspensions included.
    public static var uptimeMilliseconds: Int64 { milliseconds(CLOCK_BOOTTIME) }

    public var wallClock: WallClockReading {
        WallClockReading(
            time: UTCTime(millisecondsSince1970: Self.milliseconds(CLOCK_REALTIME)),
            isSynchronised: isSynchronised)
    }

    /// A sandbox with ProtectClock= refuses even to read adjtimex(2); then systemd-timesyncd's own
    /// marker counts, and without it nobody vouches for the clock.
    private var isSynchronised: Bool {
        switch clinux_clock_is_synchronised() {
        case 1: true
        case 0: false
        default: access(synchronisedMarker, F_OK) == 0
        }
    }

    private static func milliseconds(_ clock: Int32) -> Int64 {
        var now = timespec()
        clock_gettime(clock, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }

    private static func readBootID(_ path: String) -> BootID? {
        guard let line = FileContents.line(path) else { return nil }
        let digits = line.utf8.filter { $0 != UInt8(ascii: "-") }
        guard digits.count == 32 else { return nil }
        return BootID(String(decoding: digits, as: UTF8.self).lowercased())
    }

    /// Where the kernel does not tell, every start counts as a boot of its own: uptimes of two starts
    /// are then never compared.
    private static func makeBootID() -> BootID {
        let halves = [UInt64.random(in: 0...UInt64.max), UInt64.random(in: 0...UInt64.max)]
        return BootID(
            halves.map { half in
                let digits = String(half, radix: 16)
                return String(repeating: "0", count: 16 - digits.count) + digits
            }.joined())
    }
}
