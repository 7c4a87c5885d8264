/// JSON pointers (RFC 6901) as errors and warnings name them.
public enum JSONPointer {
    /// Characters of a name that are told.
    private static let toldCharacters = 80

    /// A member's name as one step of a pointer, with its slash; a long one is cut.
    public static func step(_ name: String) -> String {
        var step = "/"
        for scalar in name.unicodeScalars.prefix(toldCharacters) {
            switch scalar {
            case "~": step += "~0"
            case "/": step += "~1"
            default: step.unicodeScalars.append(scalar)
            }
        }
        return step
    }
}
