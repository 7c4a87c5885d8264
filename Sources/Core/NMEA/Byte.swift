/// The bytes that the grammar of NMEA 0183 names.
enum Byte {
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let dollar: UInt8 = 0x24
    static let star: UInt8 = 0x2A
    static let plus: UInt8 = 0x2B
    static let comma: UInt8 = 0x2C
    static let minus: UInt8 = 0x2D
    static let point: UInt8 = 0x2E
    static let zero: UInt8 = 0x30

    @inline(__always)
    static func isPrintable(_ byte: UInt8) -> Bool { byte &- 0x20 < 0x5F }

    /// The number in the two hex digits, of any case, after `*`; nil where there are none, or where
    /// a letter or digit follows them. What a logger appends after something else is ignored.
    @inline(__always)
    static func checksum(_ digits: UnsafePointer<UInt8>, count: Int) -> UInt8? {
        guard count >= 2, let high = hexDigit(digits[0]), let low = hexDigit(digits[1]),
            count == 2 || !isAlphanumeric(digits[2])
        else { return nil }
        return high << 4 | low
    }

    @inline(__always)
    static func hexDigit(_ byte: UInt8) -> UInt8? {
        let digit = byte &- zero
        if digit < 10 { return digit }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        byte &- zero < 10 || (byte | 0x20) &- 0x61 < 26
    }

    static func isUpperCaseLetter(_ byte: UInt8) -> Bool { byte &- 0x41 < 26 }
}
