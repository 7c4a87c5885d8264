import CommandLineTool
import WireFormat

/// The agent's program: one file per subcommand.
enum GeofencedProgram {
    static let program = CommandLineProgram(
        name: "geofenced", version: ProjectVersion.current,
        summary: "arrivals and departures for devices with a GNSS receiver",
        commands: [
            RunCommand.self, StatusCommand.self, WatchCommand.self, EventsCommand.self,
            ExplainCommand.self, MarkCommand.self, FencesListCommand.self, FencesAddCommand.self,
            FencesRemoveCommand.self, FencesValidateCommand.self, FencesExplainCommand.self,
            QueueListCommand.self, QueueDeadCommand.self, QueueFlushCommand.self,
            QueueExportCommand.self, QueuePositionsCommand.self, ConfigCheckCommand.self,
            ProvisionCommand.self,
            DoctorCommand.self, CompletionCommand.self,
        ])
}
