import CommandLineTool
import Glibc

/// Finds the subcommand and hands it its arguments.
enum FieldProgram {
    /// Commands of `CommandLineTool`, which parses for them.
    static let commands: [any Command.Type] = [SimulateCommand.self]

    /// Runs with the arguments of this process and ends it.
    static func main() async -> Never {
        let arguments = CommandLine.arguments
        if arguments.count > 1, commands.contains(where: { $0.declaration.path == arguments[1] }) {
            await CommandLineProgram(
                name: "geofence-field", version: "1.0", summary: "the field bench of geofenced",
                commands: commands
            ).main()
        }
        exit(run(arguments))
    }

    /// One line for each subcommand, in the order of the usage text.
    static let subcommands: [Subcommand] = [
        .decode
    ]

    /// Runs what `arguments` (with the program's own name first) ask for; returns the exit status.
    static func run(_ arguments: [String]) -> Int32 {
        guard arguments.count > 1 else {
            ProgramOutput.writeError(usage)
            return ExitStatus.usage
        }
        let name = arguments[1]
        if name == "--help" || name == "-h" {
            ProgramOutput.write(usage)
            return ExitStatus.ok
        }
        guard let subcommand = subcommands.first(where: { $0.name == name }) else {
            ProgramOutput.writeError("geofence-field: unknown subcommand '\(name)'\n" + usage)
            return ExitStatus.usage
        }
        let rest = Array(arguments.dropFirst(2))
        if rest.contains("--help") || rest.contains("-h") {
            ProgramOutput.write(subcommand.help)
            return ExitStatus.ok
        }
        return subcommand.run(rest)
    }

    private static var usage: String {
        let all =
            subcommands.map { (name: $0.name, summary: $0.summary) }
            + commands.map { (name: $0.declaration.path, summary: $0.declaration.summary) }
        let width = all.map(\.name.count).max() ?? 0
        let lines = all.map { command in
            let padding = String(repeating: " ", count: width - command.name.count)
            return "  \(command.name)\(padding)  \(command.summary)\n"
        }
        return "usage: geofence-field SUBCOMMAND [ARGUMENT...]\n\n" + lines.joined()
            + "\n`geofence-field SUBCOMMAND --help` explains one.\n"
    }
}
