/// The characters of JSON strings.
public enum JSONText {
    /// The content of a string between its quotes; the text has been checked. Half of a surrogate
    /// pair becomes U+FFFD.
    static func unescape(_ text: ArraySlice<UInt8>) -> [UInt8] { content(of: text).bytes }

    /// As `unescape`; nil where half of a surrogate pair stands, which is no text.
    static func string(_ text: ArraySlice<UInt8>) -> String? {
        let content = content(of: text)
        return content.isExact ? String(decoding: content.bytes, as: UTF8.self) : nil
    }

    private static func content(
        of text: ArraySlice<UInt8>
    ) -> (bytes: [UInt8], isExact: Bool) {
        var units: [UInt16] = []
        var result: [UInt8] = []
        var isExact = true
        var index = text.startIndex
        func flush() {
            guard !units.isEmpty else { return }
            isExact = isExact && String(validating: units, as: UTF16.self) != nil
            result += Array(String(decoding: units, as: UTF16.self).utf8)
            units = []
        }
        while index < text.endIndex {
            let byte = text[index]
            guard byte == UInt8(ascii: "\\"), index + 1 < text.endIndex else {
                flush()
                result.append(byte)
                index += 1
                continue
            }
            let escape = text[index + 1]
            if escape == UInt8(ascii: "u"), index + 6 <= text.endIndex {
                units.append(
                    text[index + 2..<index + 6].reduce(0) { $0 << 4 | UInt16(hexValue($1) ?? 0) })
                index += 6
            } else {
                flush()
                result.append(plain[escape] ?? escape)
                index += 2
            }
        }
        flush()
        return (result, isExact)
    }

    /// Appends a string with its quotes, and with the short escapes that JSON has.
    static func append(_ string: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        let needsEscapes = string.utf8.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }
        if needsEscapes {
            for byte in string.utf8 {
                if let short = short(byte) {
                    output += [UInt8(ascii: "\\"), short]
                } else {
                    append(byte, to: &output)
                }
            }
        } else {
            output += string.utf8
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Appends a string with its quotes; most have nothing to escape.
    public static func append(quoted content: ArraySlice<UInt8>, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        if content.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }) {
            output += content
        } else {
            for byte in content { append(byte, to: &output) }
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Appends a string with its quotes; control characters in one form, as digits.
    public static func append(quoted content: some Sequence<UInt8>, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in content { append(byte, to: &output) }
        output.append(UInt8(ascii: "\""))
    }

    private static func append(_ byte: UInt8, to output: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            output.append(UInt8(ascii: "\\"))
            output.append(byte)
        case 0..<0x20:
            output += Array("\\u00".utf8)
            output.append(hexDigits[Int(byte >> 4)])
            output.append(hexDigits[Int(byte & 15)])
        default: output.append(byte)
        }
    }

    static func isSimpleEscape(_ byte: UInt8) -> Bool { plain[byte] != nil }

    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)

    private static let plain: [UInt8: UInt8] = [
        UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
        UInt8(ascii: "/"): UInt8(ascii: "/"), UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12,
        UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9,
    ]

    private static func short(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 8: UInt8(ascii: "b")
        case 9: UInt8(ascii: "t")
        case 10: UInt8(ascii: "n")
        case 12: UInt8(ascii: "f")
        case 13: UInt8(ascii: "r")
        default: nil
        }
    }
}
