import Timekeeping

/// Bytes of a text that grows piece by piece.
///
/// Each piece asks for its room once. Appended to an array byte by byte, an event cost three times as
/// much, most of it for asking.
struct TextBuffer {
    /// The text, and room behind it.
    private var bytes: [UInt8]
    private var count = 0

    init(capacity: Int) {
        bytes = [UInt8](repeating: 0, count: capacity)
    }

    consuming func finish() -> [UInt8] {
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// Lets `fill` write up to `room` bytes behind the text; it answers how many they were.
    @inline(__always)
    private mutating func append(atMost room: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Int) {
        if bytes.count - count < room {
            bytes += repeatElement(0, count: max(room, bytes.count))
        }
        let end = count
        count += bytes.withUnsafeMutableBufferPointer {
            guard let start = $0.baseAddress else { return 0 }
            return fill(start + end)
        }
    }

    mutating func append(_ byte: UInt8) {
        append(atMost: 1) {
            $0.pointee = byte
            return 1
        }
    }

    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append($0) }
    }

    mutating func append(_ content: UnsafeBufferPointer<UInt8>) {
        guard let start = content.baseAddress else { return }
        append(atMost: content.count) {
            $0.update(from: start, count: content.count)
            return content.count
        }
    }

    mutating func append(_ number: Int64) {
        append(atMost: Self.greatestDigits) { output in
            var rest = number.magnitude
            var end = 0
            repeat {
                output[end] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
                end += 1
            } while rest > 0
            if number < 0 {
                output[end] = UInt8(ascii: "-")
                end += 1
            }
            var digits = UnsafeMutableBufferPointer(start: output, count: end)
            digits.reverse()
            return end
        }
    }

    /// Of an Int64, its sign included.
    private static let greatestDigits = 20

    /// As RFC 3339 with three decimals, in quotes.
    mutating func append(quoted time: UTCTime) {
        append(atMost: UTCTime.rfc3339ByteCount + 2) { output in
            let end = UTCTime.rfc3339ByteCount + 1
            output[0] = UInt8(ascii: "\"")
            time.writeRFC3339(
                to: UnsafeMutableBufferPointer(start: output + 1, count: UTCTime.rfc3339ByteCount))
            output[end] = UInt8(ascii: "\"")
            return end + 1
        }
    }

    /// The name of a member, with its quotes and the colon, and a comma before it where there is a
    /// member before.
    mutating func append(memberName name: StaticString, behindAnother: Bool) {
        name.withUTF8Buffer { name in
            guard let start = name.baseAddress else { return }
            append(atMost: name.count + 4) { output in
                var end = 0
                if behindAnother {
                    output[0] = UInt8(ascii: ",")
                    end = 1
                }
                output[end] = UInt8(ascii: "\"")
                (output + end + 1).update(from: start, count: name.count)
                end += name.count + 1
                output[end] = UInt8(ascii: "\"")
                output[end + 1] = UInt8(ascii: ":")
                return end + 2
            }
        }
    }

    // MARK: Strings

    mutating func append(quoted string: String) {
        var string = string
        string.withUTF8 { content in
            guard content.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }) else {
                return appendEscaped(content)
            }
            append(atMost: content.count + 2) { output in
                output[0] = UInt8(ascii: "\"")
                if let start = content.baseAddress {
                    (output + 1).update(from: start, count: content.count)
                }
                output[content.count + 1] = UInt8(ascii: "\"")
                return content.count + 2
            }
        }
    }

    private mutating func appendEscaped(_ content: UnsafeBufferPointer<UInt8>) {
        append(UInt8(ascii: "\""))
        for byte in content { append(escaped: byte) }
        append(UInt8(ascii: "\""))
    }

    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case 0x08: append("\\b")
        case 0x09: append("\\t")
        case 0x0A: append("\\n")
        case 0x0C: append("\\f")
        case 0x0D: append("\\r")
        case 0..<0x20:
            append(byte < 0x10 ? "\\u000" : "\\u001")
            let digit = byte & 0x0F
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        default: append(byte)
        }
    }
}
