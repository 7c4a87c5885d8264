/// One subcommand of the program: its name, its help, and what it does.
struct Subcommand: Sendable {
    /// As typed, "decode".
    let name: String
    /// One line for the list of subcommands.
    let summary: String
    /// Usage, options and an example; printed by `geofence-field NAME --help`.
    let help: String
    /// Takes the arguments after the name and returns the exit status.
    let run: @Sendable ([String]) -> Int32
}
