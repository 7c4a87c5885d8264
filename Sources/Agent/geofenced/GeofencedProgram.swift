import CommandLineTool
import WireFormat

/// The agent's program: one file per subcommand.
enum GeofencedProgram {
    static let program = CommandLineProgram(
        name: "geofenced", version: ProjectVersion.current,
        summary: "arrivals and departures for devices with a GNSS receiver",
        commands: [
            RunCommand.self, StatusCommand.self, WatchCommand.self, EventsCommand.self,
            ExplainCommand.self, FencesExplainCommand.self,
            MarkCommand.self, ConfigCheckCommand.self, DoctorCommand.self,
        ])
}
