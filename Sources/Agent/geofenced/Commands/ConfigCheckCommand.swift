import CommandLineTool
import ConfigurationFile

/// `geofenced config check`: what the agent would run with, and where each value comes from.
enum ConfigCheckCommand: Command {
    static let declaration = CommandDeclaration(
        "config check", summary: "check the configuration and show it",
        example: "config check --config geofenced.yaml",
        options: [
            ConfigurationLoading.option,
            .flag("json", "one JSON object"),
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let configuration = try ConfigurationLoading.load(arguments)
        let effective = try EffectiveConfiguration(configuration)
        if arguments.flag("json") {
            try console.print(try ConfigurationJSON.text(effective))
            return .success
        }
        for line in effective.lines {
            try console.print(
                "\(line.keyPath): \(line.value.isEmpty ? "-" : line.value)  # \(line.origin)")
        }
        return .success
    }
}
