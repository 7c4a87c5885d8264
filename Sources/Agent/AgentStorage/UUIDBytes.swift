import Cryptography

/// 16 bytes that are written as a UUID.
struct UUIDBytes: Hashable, Sendable {
    /// The first and the last eight, big-endian.
    let front: UInt64
    let back: UInt64

    /// Nil unless there are 16.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        self.init(front: Self.number(bytes[..<8]), back: Self.number(bytes[8...]))
    }

    /// Nil unless the text is a UUID with hyphens.
    init?(text: String) {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12],
            let bytes = Hexadecimal.decode(groups.joined())
        else { return nil }
        self.init(bytes)
    }

    /// Nil unless the characters are what `digits` writes, or with `isHyphenated` what `text` writes.
    init?(written characters: UnsafeBufferPointer<UInt8>, isHyphenated: Bool) {
        guard characters.count == (isHyphenated ? Self.textCount : Self.digitCount) else {
            return nil
        }
        var (front, back) = (UInt64(0), UInt64(0))
        for (index, character) in characters.enumerated() {
            if isHyphenated, index == 8 || index == 13 || index == 18 || index == 23 {
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt8
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
            default: return nil
            }
            // The digits of both halves pass through the lower one.
            front = front << 4 | back >> 60
            back = back << 4 | UInt64(digit)
        }
        self.init(front: front, back: back)
    }

    /// Version 8 of the fields' SHA-256. A line feed separates the fields: neither a device id nor
    /// what is hashed beside it can hold one.
    init(hashing fields: [String]) throws(CryptographyError) {
        var text: [UInt8] = []
        text.reserveCapacity(Self.usualFieldBytes)
        for (index, field) in fields.enumerated() {
            if index > 0 { text.append(UInt8(ascii: "\n")) }
            text.append(contentsOf: field.utf8)
        }
        self = try SHA256.withDigest(of: text) { digest in
            let front = UInt64(bigEndian: digest.loadUnaligned(as: UInt64.self))
            let back = UInt64(
                bigEndian: digest.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            return UUIDBytes(
                front: front & ~0xf000 | 0x8000, back: back & ~(0xc0 << 56) | 0x80 << 56)
        }
    }

    init(front: UInt64, back: UInt64) {
        self.front = front
        self.back = back
    }

    static let count = 16
    /// Of the digits alone, and with hyphens.
    static let (digitCount, textCount) = (32, 36)
    private static let usualFieldBytes = 160

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.count) { bytes, count in
            for index in 0..<8 {
                let shift = UInt64(56 - 8 * index)
                bytes[index] = UInt8(truncatingIfNeeded: front >> shift)
                bytes[index + 8] = UInt8(truncatingIfNeeded: back >> shift)
            }
            count = Self.count
        }
    }

    /// Lower case with hyphens.
    var text: String { written(isHyphenated: true) }

    /// Lower case without hyphens.
    var digits: String { written(isHyphenated: false) }

    private func written(isHyphenated: Bool) -> String {
        String(unsafeUninitializedCapacity: Self.textCount) { text in
            var place = 0
            for index in 0..<Self.digitCount {
                if isHyphenated, index == 8 || index == 12 || index == 16 || index == 20 {
                    text[place] = UInt8(ascii: "-")
                    place += 1
                }
                let half = index < 16 ? front : back
                let digit = UInt8(truncatingIfNeeded: half >> UInt64(60 - 4 * (index & 15))) & 15
                text[place] =
                    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                place += 1
            }
            return place
        }
    }
}
