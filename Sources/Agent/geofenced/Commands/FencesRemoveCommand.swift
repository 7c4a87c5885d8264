import CommandLineTool

/// `geofenced fences remove`: takes away what was added on this device.
enum FencesRemoveCommand: Command {
    static let declaration = CommandDeclaration(
        "fences remove", summary: "remove fences that were added on this device",
        example: "fences remove yard",
        discussion: """
            Where the device is inside, an exit with the reason fence_deleted is recorded. Needs root
            or the group geofenced-admin.
            """,
        positionals: [CommandPositional("ID", "fences to remove", .repeated)],
        options: [
            ConfigurationLoading.option,
            .flag("json", "one JSON object, schema geofenced.fences.change/1"),
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        try FenceChangeCall.run(removing: arguments.strings("ID"), arguments, console)
    }
}
