import Glibc

/// Where a command writes: data to standard output, everything for people to standard error.
public struct Console: Sendable {
    public let output: OutputWriter
    public let errors: OutputWriter
    /// Whether words on standard output are coloured.
    public private(set) var isColored: Bool
    private let programName: String

    public init(programName: String, output: OutputWriter, errors: OutputWriter) {
        self.programName = programName
        self.output = output
        self.errors = errors
        isColored = false
        choose(.auto)
    }

    /// Standard output and standard error of this process.
    public static func standard(programName: String) -> Console {
        Console(
            programName: programName, output: OutputWriter(descriptor: STDOUT_FILENO),
            errors: OutputWriter(descriptor: STDERR_FILENO))
    }

    /// Prints a line of data.
    public func print(_ text: String) throws(OutputError) {
        try output.line(text)
    }

    /// Prints a line of a stream that somebody follows: it is handed on at once.
    public func stream(_ text: String) throws(OutputError) {
        try output.line(text)
        try output.flush()
    }

    /// Tells a person something on standard error, under the program's name.
    public func note(_ message: String) {
        writeError("\(programName): \(message)")
    }

    /// The text in a style where output is coloured, else the text.
    public func styled(_ text: String, _ style: TextStyle) -> String {
        isColored ? style.applied(to: text) : text
    }

    /// A progress line on standard error, drawn on a terminal only.
    public func progress(_ label: String, total: Int? = nil) -> ProgressReporter {
        ProgressReporter(label, total: total, on: errors)
    }

    mutating func choose(_ color: ColorChoice) {
        isColored = color.isEnabled(
            isTerminal: output.isTerminal, noColor: Self.environment("NO_COLOR"),
            terminalType: Self.environment("TERM"))
    }

    /// There is nobody left to tell when standard error itself fails.
    func writeError(_ text: String) {
        try? errors.line(text)
        try? errors.flush()
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
