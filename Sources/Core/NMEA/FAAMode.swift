import Positioning

/// The positioning mode letter of RMC, GLL, GNS and VTG (NMEA 0183 2.3 and later).
///
/// Ordered by what wins: among letters that give a fix the greater raw value is the better one.
enum FAAMode: UInt8, Comparable {
    /// N, or a letter that nobody documented: no fix.
    case invalid
    case autonomous
    case differential
    case precise
    case rtkFloat
    case rtkFixed
    // The three that no other evidence turns into a real fix:
    case estimated
    case manual
    case simulated

    init(letter: UInt8) {
        switch letter {
        case UInt8(ascii: "A"): self = .autonomous
        case UInt8(ascii: "D"): self = .differential
        case UInt8(ascii: "P"): self = .precise
        case UInt8(ascii: "F"): self = .rtkFloat
        case UInt8(ascii: "R"): self = .rtkFixed
        case UInt8(ascii: "E"): self = .estimated
        case UInt8(ascii: "M"): self = .manual
        case UInt8(ascii: "S"): self = .simulated
        default: self = .invalid
        }
    }

    static func < (left: FAAMode, right: FAAMode) -> Bool { left.rawValue < right.rawValue }

    /// Whether the position was not measured.
    var isTyped: Bool { self >= .estimated }

    var quality: Quality {
        switch self {
        case .invalid: .none
        case .autonomous: .autonomous
        case .differential: .differential
        case .precise: .pps
        case .rtkFloat: .rtkFloat
        case .rtkFixed: .rtkFixed
        case .estimated: .estimated
        case .manual: .manual
        case .simulated: .simulated
        }
    }
}
