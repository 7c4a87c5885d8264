/// Percent-encoding of RFC 3986 section 2.1, and "+" for a space in query fields.
enum PercentEncoding {
    /// A "%" that two hex digits do not follow stays as it is; what is not UTF-8 is repaired.
    static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool) -> String {
        let isPlain = !text.contains {
            $0 == UInt8(ascii: "%") || (plusIsSpace && $0 == UInt8(ascii: "+"))
        }
        if isPlain { return String(decoding: text, as: UTF8.self) }
        return String(decoding: bytes(text, plusIsSpace: plusIsSpace), as: UTF8.self)
    }

    static func bytes(_ text: some Collection<UInt8>, plusIsSpace: Bool) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = text.startIndex
        while index != text.endIndex {
            let byte = text[index]
            index = text.index(after: index)
            if byte == UInt8(ascii: "%"), let high = text.hexDigit(at: index),
                let low = text.hexDigit(at: text.index(after: index))
            {
                result.append(high << 4 | low)
                index = text.index(index, offsetBy: 2)
            } else {
                result.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return result
    }
}

extension Collection<UInt8> {
    fileprivate func hexDigit(at index: Index) -> UInt8? {
        guard index < endIndex else { return nil }
        switch self[index] {
        case let digit where digit >= UInt8(ascii: "0") && digit <= UInt8(ascii: "9"):
            return digit - UInt8(ascii: "0")
        case let letter
        where letter | 0x20 >= UInt8(ascii: "a") && letter | 0x20 <= UInt8(ascii: "f"):
            return (letter | 0x20) - UInt8(ascii: "a") + 10
        default: return nil
        }
    }
}
