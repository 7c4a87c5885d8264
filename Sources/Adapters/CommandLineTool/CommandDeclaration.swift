/// Everything that a command accepts; parser, help and completions are made from it.
public struct CommandDeclaration: Sendable {
    /// The words that choose the command: "status", or "fences list" for a nested one.
    public var path: String
    /// One phrase, lower case, without a full stop.
    public var summary: String
    /// Arguments of one useful call, without the program's name: "status --json".
    public var example: String
    /// More than the summary can hold; empty where it is enough.
    public var discussion: String
    public var positionals: [CommandPositional]
    public var options: [CommandOption]

    public init(
        _ path: String, summary: String, example: String, discussion: String = "",
        positionals: [CommandPositional] = [], options: [CommandOption] = []
    ) {
        self.path = path
        self.summary = summary
        self.example = example
        self.discussion = discussion
        self.positionals = positionals
        self.options = options
    }

    var words: [String] { path.split(separator: " ").map(String.init) }

    /// The command's own options and those that every command has.
    var allOptions: [CommandOption] { options + [.color, .help] }

    func option(named name: String) -> CommandOption? { allOptions.first { $0.name == name } }

    func option(short: Character) -> CommandOption? { allOptions.first { $0.short == short } }
}
