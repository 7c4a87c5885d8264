/// Reads the plain scalars of YAML 1.1 more strictly than YAML does: nothing that a person could read
/// in two ways is accepted.
enum ScalarText {
    /// true, false, yes, no, on, off in lower case, capitalised or upper case; nil for anything else.
    static func bool(_ text: String) -> Bool? {
        let lower = text.lowercased()
        let isRegular =
            text == lower || text == text.uppercased()
            || text == text.prefix(1).uppercased() + lower.dropFirst()
        guard isRegular else { return nil }
        switch lower {
        case "true", "yes", "on": return true
        case "false", "no", "off": return false
        default: return nil
        }
    }

    /// Whether `text` is a whole decimal number. A leading zero is octal to YAML 1.1 and decimal to a
    /// person; underscores, colons and hexadecimal are for programs.
    static func isWholeNumber(_ text: String) -> Bool {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard let first = digits.first, digits.allSatisfy(isDigit) else { return false }
        return digits.count == 1 || first != UInt8(ascii: "0")
    }

    /// A decimal number with a digit before its point; nil for anything else, and when it overflows.
    static func double(_ text: String) -> Double? {
        var rest = text.utf8[...]
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let whole = rest.prefix(while: isDigit)
        guard !whole.isEmpty, whole.count == 1 || whole.first != UInt8(ascii: "0") else {
            return nil
        }
        rest = rest.dropFirst(whole.count)
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            let decimals = rest.prefix(while: isDigit)
            guard !decimals.isEmpty else { return nil }
            rest = rest.dropFirst(decimals.count)
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") {
                rest = rest.dropFirst()
            }
            guard !rest.isEmpty else { return nil }
            rest = rest.drop(while: isDigit)
        }
        guard rest.isEmpty, let number = Double(text), number.isFinite else { return nil }
        return number
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= byte
    }
}
