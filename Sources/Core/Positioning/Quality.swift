/// How a position was found (NMEA 0183 GGA field 6 and the FAA mode letter).
public enum Quality: Hashable, Sendable {
    case none
    case autonomous
    case differential
    case pps
    case rtkFixed
    case rtkFloat
    /// Dead reckoning.
    case estimated
    case manual
    case simulated
    /// A quality number that the standard does not name.
    case other(Int)

    /// The name in recordings and in the output of `decode`.
    public var name: String {
        switch self {
        case .none: "none"
        case .autonomous: "autonomous"
        case .differential: "differential"
        case .pps: "pps"
        case .rtkFixed: "rtk_fixed"
        case .rtkFloat: "rtk_float"
        case .estimated: "estimated"
        case .manual: "manual"
        case .simulated: "simulated"
        case .other: "other"
        }
    }

    /// The quality of that name; `other` loses its number. Nil for an unknown name.
    public init?(name: String) {
        switch name {
        case "none": self = .none
        case "autonomous": self = .autonomous
        case "differential": self = .differential
        case "pps": self = .pps
        case "rtk_fixed": self = .rtkFixed
        case "rtk_float": self = .rtkFloat
        case "estimated": self = .estimated
        case "manual": self = .manual
        case "simulated": self = .simulated
        case "other": self = .other(0)
        default: return nil
        }
    }
}
