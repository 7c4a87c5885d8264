/// One `--name` that a command understands, as declared.
public struct CommandOption: Hashable, Sendable {
    /// Without the two hyphens.
    public var name: String
    /// One letter, without its hyphen.
    public var short: Character?
    /// What stands for the value in help, "FILE". Nil for a flag, which has no value.
    public var valueName: String?
    /// One phrase for help, lower case, without a full stop.
    public var summary: String
    /// What applies when the option is not given, as help shows it.
    public var defaultText: String?
    /// The only values that are accepted; nil for any.
    public var allowedValues: [String]?
    public var isRequired = false
    /// Whether it may be given more than once.
    public var isRepeatable = false

    /// An option without a value.
    public static func flag(
        _ name: String, short: Character? = nil, _ summary: String
    ) -> CommandOption {
        CommandOption(name: name, short: short, valueName: nil, summary: summary)
    }

    /// An option with a value, `--name VALUE` or `--name=VALUE`.
    public static func value(
        _ name: String, _ valueName: String, short: Character? = nil, _ summary: String,
        default defaultText: String? = nil, oneOf allowedValues: [String]? = nil,
        isRequired: Bool = false, isRepeatable: Bool = false
    ) -> CommandOption {
        CommandOption(
            name: name, short: short, valueName: valueName, summary: summary,
            defaultText: defaultText, allowedValues: allowedValues, isRequired: isRequired,
            isRepeatable: isRepeatable)
    }

    /// `--json`, the versioned machine-readable form that every command has.
    public static let json = CommandOption.flag("json", "print JSON instead of words")

    /// `--color`, understood by every command.
    static let color = CommandOption.value(
        "color", "WHEN", "colour the output", default: "auto",
        oneOf: ColorChoice.allCases.map(\.rawValue))

    /// `--help`, understood by every command.
    static let help = CommandOption.flag("help", short: "h", "print this help and exit")
}
