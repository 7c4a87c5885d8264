/// How a word stands out on a terminal; the raw value is the SGR parameter of ECMA-48.
///
/// Colour never carries a meaning alone: the words say the same.
public enum TextStyle: Int, Sendable {
    case bold = 1
    case dim = 2
    case red = 31
    case green = 32
    case yellow = 33
    case blue = 34

    func applied(to text: String) -> String { "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" }
}
