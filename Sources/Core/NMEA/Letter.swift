/// The letters with a meaning in fields.
enum Letter {
    static let north = UInt8(ascii: "N")
    static let south = UInt8(ascii: "S")
    static let east = UInt8(ascii: "E")
    static let west = UInt8(ascii: "W")
    static let noFix = UInt8(ascii: "N")
    static let active = UInt8(ascii: "A")
    static let meters = UInt8(ascii: "M")
    static let trueNorth = UInt8(ascii: "T")
    static let knots = UInt8(ascii: "N")
    static let kilometersPerHour = UInt8(ascii: "K")
    static let proprietary = UInt8(ascii: "P")
}
