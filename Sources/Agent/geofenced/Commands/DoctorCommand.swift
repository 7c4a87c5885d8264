import CommandLineTool
import EmbeddedAgent
import GeofenceAgent
import WireFormat

/// `geofenced doctor`: everything that an agent needs, looked at from the configuration to the fix.
enum DoctorCommand: Command {
    static let declaration = CommandDeclaration(
        "doctor", summary: "examine the device and say what to do", example: "doctor --json",
        discussion: """
            Works with the agent running or stopped, without a network and on a read-only disk, and
            never writes to the queue. With the agent stopped the receiver is listened to for some
            seconds. Every finding has a stable code, see docs/doctor.md.

            Exit status 0: all is well; 4: something needs a person; 1: something fails; 78: the
            configuration is refused.
            """,
        options: [
            ConfigurationLoading.option,
            .flag("json", "one JSON object, schema geofenced.doctor/1"),
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let progress = console.progress("examining", total: Doctor.partCount)
        progress.update(0)
        let report = await ConfigurationLoading.doctor(arguments).examine(
            progress: progress.update)
        progress.finish()
        if arguments.flag("json") {
            try console.print(String(decoding: try WireCoding.encode(report), as: UTF8.self))
        } else {
            for line in DoctorText.lines(report, console) { try console.print(line) }
        }
        return status(report)
    }

    private static func status(_ report: DoctorReport) -> ExitCode {
        switch report.status {
        case .ok, .skipped: .success
        case .warn: .degraded
        case .fail: report.blamesConfiguration ? .configuration : .failure
        }
    }
}
