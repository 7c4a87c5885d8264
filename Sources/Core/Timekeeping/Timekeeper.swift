/// The one door through which the shell learns the time; the core is handed times as data.
public protocol Timekeeper: Sendable {
    /// CLOCK_BOOTTIME now.
    var uptime: Uptime { get }
    /// CLOCK_REALTIME now.
    var wallClock: WallClockReading { get }
    /// The current boot.
    var bootID: BootID { get }
    /// CLOCK_MONOTONIC now, which stands still while the machine is suspended, for time that somebody
    /// had to get on with their work. Only differences mean something, and only within one process.
    var awakeMilliseconds: Int64 { get }
}

extension Timekeeper {
    /// Of a clock of which nothing is ever suspended.
    public var awakeMilliseconds: Int64 { uptime.milliseconds }
}
