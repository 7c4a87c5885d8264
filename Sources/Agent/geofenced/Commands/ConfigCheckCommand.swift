import CommandLineTool
import ConfigurationFile
import EmbeddedAgent
import GeofenceAgent

/// `geofenced config check`: what the agent would run with, and where each value comes from.
enum ConfigCheckCommand: Command {
    static let declaration = CommandDeclaration(
        "config check", summary: "check the configuration and show it",
        example: "config check --config geofenced.yaml",
        discussion: """
            Also opens the key, the authorities, the certificate and the fences that the
            configuration names. What is wrong goes to standard error, and the exit status is 78.
            """,
        options: [
            ConfigurationLoading.option,
            .flag("json", "one JSON object"),
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let configuration = try ConfigurationLoading.load(arguments)
        let effective = try EffectiveConfiguration(configuration)
        if arguments.flag("json") {
            try console.print(try ConfigurationJSON.text(effective))
            return try judge(configuration)
        }
        for line in effective.lines {
            try console.print(
                "\(line.keyPath): \(line.value.isEmpty ? "-" : line.value)  # \(line.origin)")
        }
        return try judge(configuration)
    }

    /// Looks at what the configuration names; a problem stands at the line that names it.
    private static func judge(
        _ configuration: DecodedConfiguration<AgentConfiguration>
    ) throws -> ExitCode {
        let problems = ConfigurationFiles.problems(
            configuration.value, AgentPaths(configuration.value))
        guard !problems.isEmpty else { return .success }
        let lines = problems.map { problem in
            let origin = configuration.origin(of: problem.keyPath)
            let place = origin == "default" ? configuration.file : origin
            let onEarth = problem.place.map { " at \($0)" } ?? ""
            return "\(place): \(problem.keyPath): \(problem.message)\(onEarth)"
        }
        throw CommandFailure(lines.joined(separator: "\n"), status: .configuration)
    }
}
