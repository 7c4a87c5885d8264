/// One reason why a configuration is refused.
public struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
    /// As it was given on the command line.
    public var file: String
    /// Nil when the file could not be read at all.
    public var mark: SourceMark?
    /// "upload.interval_s"; empty for the document as a whole.
    public var keyPath: String
    /// What is wrong, and what is allowed.
    public var message: String

    /// `file:line:column: key.path: what, allowed range`
    public var description: String {
        let place = mark.map { "\(file):\($0.line):\($0.column)" } ?? file
        return keyPath.isEmpty ? "\(place): \(message)" : "\(place): \(keyPath): \(message)"
    }
}
