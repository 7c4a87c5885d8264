/// Numbers outside JSON texts, such as in queries and headers, by the grammar of JSON: what a person
/// could read in two ways ("0x10", "+5", "1_000", "inf", "") is no number.
public enum JSONNumber {
    /// Nil for anything but one finite number.
    public static func double(_ text: some StringProtocol) -> Double? {
        var text = String(text)
        guard text.withUTF8(isNumber), let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// Nil for anything but one whole number in digits.
    public static func integer(_ text: some StringProtocol) -> Int? {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard digits.allSatisfy(isDigit), double(text) != nil else { return nil }
        return Int(text)
    }

    /// RFC 8259 section 6.
    private static func isNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var position = 0
        func take(_ one: Unicode.Scalar, or other: Unicode.Scalar? = nil) -> Bool {
            guard position < text.count else { return false }
            let scalar = Unicode.Scalar(text[position])
            guard scalar == one || scalar == other else { return false }
            position += 1
            return true
        }
        func takeDigits() -> Bool {
            let start = position
            while position < text.count, isDigit(text[position]) { position += 1 }
            return position > start
        }
        _ = take("-")
        guard take("0") || takeDigits() else { return false }
        if take("."), !takeDigits() { return false }
        if take("e", or: "E") {
            _ = take("+", or: "-")
            guard takeDigits() else { return false }
        }
        return position == text.count
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= byte
    }
}
