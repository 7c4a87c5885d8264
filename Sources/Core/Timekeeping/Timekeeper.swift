/// The one door through which the shell learns the time; the core is handed times as data.
public protocol Timekeeper: Sendable {
    /// CLOCK_BOOTTIME now.
    var uptime: Uptime { get }
    /// CLOCK_REALTIME now.
    var wallClock: WallClockReading { get }
    /// The current boot.
    var bootID: BootID { get }
}
