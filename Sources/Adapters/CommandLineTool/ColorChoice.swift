/// When output is coloured: `--color`, then NO_COLOR, then whether a person looks at a terminal.
public enum ColorChoice: String, Sendable, CaseIterable {
    case auto, always, never

    /// Whether to colour. `noColor` is the environment's NO_COLOR (no-color.org: any text but none),
    /// `terminalType` its TERM.
    public func isEnabled(isTerminal: Bool, noColor: String?, terminalType: String?) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .auto: isTerminal && (noColor ?? "").isEmpty && terminalType != "dumb"
        }
    }
}
