/// Where a value of the effective configuration comes from.
public enum ConfigurationOrigin: Hashable, Sendable {
    /// The default of the type.
    case standard
    /// The line of its key, counted from 1.
    case file(line: Int)
}
