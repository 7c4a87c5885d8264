/// A configuration that is refused, with everything that is known to be wrong with it.
public struct ConfigurationError: Error, Hashable, CustomStringConvertible {
    /// At least one, in the order of the file.
    public let problems: [ConfigurationProblem]

    init(_ problems: [ConfigurationProblem]) {
        self.problems = problems
    }

    init(file: String, mark: SourceMark?, keyPath: String = "", _ message: String) {
        problems = [
            ConfigurationProblem(file: file, mark: mark, keyPath: keyPath, message: message)
        ]
    }

    /// One problem a line.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
