import CommandLineTool

/// The program: one line for each command, in the order of the help text.
enum ServerProgram {
    static let version = "1.0"

    static let program = CommandLineProgram(
        name: "geofence-server", version: version,
        summary: "the reference server of geofenced",
        commands: [
            InitCommand.self,
            ServeCommand.self,
            ImportCommand.self,
            ExportCommand.self,
            KeysListCommand.self,
            KeysIssueCommand.self,
            KeysRevokeCommand.self,
            ProvisionCommand.self,
            LimitsCommand.self,
            BackupCommand.self,
        ])
}
