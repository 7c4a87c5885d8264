/// Time since the machine booted, suspended time included (CLOCK_BOOTTIME), in milliseconds.
///
/// Every duration, timer and order is measured on it; it means nothing across boots.
public struct Uptime: Hashable, Sendable, Comparable {
    public var milliseconds: Int64

    @inlinable
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    @inlinable
    public static func < (left: Uptime, right: Uptime) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// This uptime moved by whole milliseconds.
    public func advanced(byMilliseconds amount: Int64) -> Uptime {
        Uptime(milliseconds: milliseconds + amount)
    }

    /// Seconds from `earlier` to this uptime; negative when `earlier` is later.
    @inlinable
    public func seconds(since earlier: Uptime) -> Double {
        Double(milliseconds - earlier.milliseconds) / 1000
    }
}
