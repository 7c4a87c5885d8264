/// Base64 of RFC 4648, section 4.
public enum Base64 {
    /// Nil for anything but whole groups of four digits, the last one filled up with "=".
    public static func bytes(of text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 4 == 0 else { return nil }
        let padding = digits.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        var result: [UInt8] = []
        result.reserveCapacity(digits.count / 4 * 3)
        var group: UInt32 = 0
        for (index, digit) in digits.enumerated() {
            let isPadding = index >= digits.count - padding
            guard let value = isPadding ? 0 : values[Int(digit)] else { return nil }
            group = group << 6 | UInt32(value)
            guard index % 4 == 3 else { continue }
            result.append(UInt8(truncatingIfNeeded: group >> 16))
            result.append(UInt8(truncatingIfNeeded: group >> 8))
            result.append(UInt8(truncatingIfNeeded: group))
        }
        result.removeLast(padding)
        return result
    }

    public static func text(of bytes: some Sequence<UInt8>) -> String {
        let bytes = Array(bytes)
        var result: [UInt8] = []
        result.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            let group = (0..<3).reduce(UInt32(0)) { group, offset in
                group << 8 | (offset < count ? UInt32(bytes[start + offset]) : 0)
            }
            for place in 0..<4 {
                let digit = Int(group >> (18 - 6 * UInt32(place)) & 63)
                result.append(place <= count ? alphabet[digit] : UInt8(ascii: "="))
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// What each byte stands for; nil: it is no digit.
    private static let values: [UInt8?] = {
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()
}
