/// Doubts about a fix that do not reject it but travel with its events.
public struct IntegrityFlags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The receiver calls itself a simulator.
    public static let simulated = IntegrityFlags(rawValue: 1)
    /// The time disagrees with a synchronised system clock.
    public static let clockMismatch = IntegrityFlags(rawValue: 2)
    /// Every digit repeated while the speed said otherwise.
    public static let frozen = IntegrityFlags(rawValue: 4)
    /// The date was moved by a multiple of 1,024 weeks.
    public static let weekRollover = IntegrityFlags(rawValue: 8)
    /// The time went backwards by up to 5 s.
    public static let timeStep = IntegrityFlags(rawValue: 16)

    /// Names as on the wire, in the order of their bits.
    public var names: [String] {
        let all: [(IntegrityFlags, String)] = [
            (.simulated, "simulated"), (.clockMismatch, "clock_mismatch"), (.frozen, "frozen"),
            (.weekRollover, "week_rollover"), (.timeStep, "time_step"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}
