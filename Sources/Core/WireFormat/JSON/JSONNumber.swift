/// Numbers outside JSON texts, such as in queries and headers, by the grammar of JSON: what a person
/// could read in two ways ("0x10", "+5", "1_000", "inf", "") is no number.
public enum JSONNumber {
    /// Nil for anything but one finite number.
    public static func double(_ text: some StringProtocol) -> Double? {
        guard isNumber(text.utf8), let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// Nil for anything but one whole number in digits.
    public static func integer(_ text: some StringProtocol) -> Int? {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard digits.allSatisfy(isDigit), double(text) != nil else { return nil }
        return Int(text)
    }

    /// RFC 8259 section 6.
    private static func isNumber(_ text: some Collection<UInt8>) -> Bool {
        var rest = text[...]
        func take(_ bytes: UInt8...) -> Bool {
            guard let first = rest.first, bytes.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        func takeDigits() -> Bool {
            let count = rest.prefix(while: isDigit).count
            rest = rest.dropFirst(count)
            return count > 0
        }
        _ = take(UInt8(ascii: "-"))
        guard take(UInt8(ascii: "0")) || takeDigits() else { return false }
        if take(UInt8(ascii: ".")), !takeDigits() { return false }
        if take(UInt8(ascii: "e"), UInt8(ascii: "E")) {
            _ = take(UInt8(ascii: "+"), UInt8(ascii: "-"))
            guard takeDigits() else { return false }
        }
        return rest.isEmpty
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= byte
    }
}
