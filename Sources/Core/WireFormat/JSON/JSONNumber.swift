/// Numbers outside JSON texts, such as in queries and headers, by the grammar of JSON: what a person
/// could read in two ways ("0x10", "+5", "1_000", "inf", "") is no number.
public enum JSONNumber {
    /// Nil for anything but one finite number.
    public static func double(_ text: some StringProtocol) -> Double? {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, first == UInt8(ascii: "-") || isDigit(first),
            let last = bytes.last, isDigit(last), (try? JSONDocument(bytes)) != nil
        else { return nil }
        return Double(text)
    }

    /// Nil for anything but one whole number in digits.
    public static func integer(_ text: some StringProtocol) -> Int? {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard digits.allSatisfy(isDigit), double(text) != nil else { return nil }
        return Int(text)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= byte
    }
}
