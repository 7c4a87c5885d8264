/// Recognises the frames of u-blox UBX and RTCM 10403 (version 3) that receivers send between
/// sentences, so that a `$` inside of one starts nothing.
enum BinaryFrame {
    /// What stands at a place of the stream.
    enum Verdict {
        case none
        /// Not enough bytes yet to tell.
        case undecided
        /// The header was there, its length or its checksum did not hold.
        case falseHeader
        case ubx(length: Int)
        case rtcm(length: Int)
    }

    /// A longer UBX payload is taken for a false header.
    static let maximumUBXPayloadBytes = 8192
    /// The longest frame of either kind.
    static let maximumBytes = maximumUBXPayloadBytes + 8

    private static let ubxSync: (UInt8, UInt8) = (0xB5, 0x62)
    private static let rtcmPreamble: UInt8 = 0xD3

    /// Looks at the first bytes of `bytes`, which is not empty.
    static func verdict(_ bytes: UnsafeBufferPointer<UInt8>) -> Verdict {
        switch bytes[0] {
        case ubxSync.0: ubx(bytes)
        case rtcmPreamble: rtcm(bytes)
        default: .none
        }
    }

    /// UBX: sync, class, id, length (little endian), payload, two bytes of 8-bit Fletcher.
    /// Source: u-blox "Interface Description", UBX frame structure and checksum.
    private static func ubx(_ bytes: UnsafeBufferPointer<UInt8>) -> Verdict {
        guard bytes.count >= 2 else { return .undecided }
        guard bytes[1] == ubxSync.1 else { return .none }
        guard bytes.count >= 6 else { return .undecided }
        let payload = Int(bytes[4]) | Int(bytes[5]) << 8
        guard payload <= maximumUBXPayloadBytes else { return .falseHeader }
        let length = payload + 8
        guard bytes.count >= length else { return .undecided }
        var first: UInt8 = 0
        var second: UInt8 = 0
        for index in 2..<length - 2 {
            first &+= bytes[index]
            second &+= first
        }
        return bytes[length - 2] == first && bytes[length - 1] == second
            ? .ubx(length: length) : .falseHeader
    }

    /// RTCM3: preamble, 6 bits of 0, 10 bits of length, payload, 24 bits of CRC-24Q.
    /// Source: RTCM 10403.3, transport layer.
    private static func rtcm(_ bytes: UnsafeBufferPointer<UInt8>) -> Verdict {
        guard bytes.count >= 2 else { return .undecided }
        guard bytes[1] & 0xFC == 0 else { return .falseHeader }
        guard bytes.count >= 3 else { return .undecided }
        let length = (Int(bytes[1]) << 8 | Int(bytes[2])) + 6
        guard bytes.count >= length else { return .undecided }
        var remainder: UInt32 = 0
        for index in 0..<length {
            remainder = crc24Step(remainder, bytes[index])
        }
        return remainder == 0 ? .rtcm(length: length) : .falseHeader
    }

    /// One byte of CRC-24Q (polynomial 0x1864CFB); over a frame with its CRC the result is 0.
    private static func crc24Step(_ remainder: UInt32, _ byte: UInt8) -> UInt32 {
        var next = remainder ^ UInt32(byte) << 16
        for _ in 0..<8 {
            next = next & 0x80_0000 == 0 ? next << 1 : (next << 1) ^ 0x186_4CFB
        }
        return next & 0xFF_FFFF
    }
}
