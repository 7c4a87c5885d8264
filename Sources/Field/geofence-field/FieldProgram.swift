import CommandLineTool

/// The program: one line for each command, in the order of the help text.
enum FieldProgram {
    static let program = CommandLineProgram(
        name: "geofence-field", version: "1.0", summary: "the field bench of geofenced",
        commands: [
            DecodeCommand.self,
            ReplayCommand.self,
            SimulateCommand.self,
            SimulateDeliveryCommand.self,
            NMEABenchCommand.self,
            GeodesyBenchCommand.self,
            DamageBenchCommand.self,
            FenceBenchCommand.self,
            HerdBenchCommand.self,
            ServerBenchCommand.self,
            QueueBenchCommand.self,
            BacklogCommand.self,
            SoakCommand.self,
            LoadCommand.self,
        ])
}
