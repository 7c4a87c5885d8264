import GeofenceAgent
import LinuxSystem
import Timekeeping
import WireFormat

/// The recordings of a run, as the configuration wants them. Whatever fails here costs the
/// recording, never the tracking.
struct AgentRecording: Sendable {
    /// Nil: nothing is recorded.
    var plan: RecordingPlan?
    /// Deletes what an earlier configuration recorded, when it is old enough.
    private var expiring: RecordingFolder?

    init(
        _ configuration: AgentConfiguration, _ paths: AgentPaths, on thread: FilesThread,
        log: any LogSink
    ) {
        let limits = RecordingFolder.Limits(maxBytes: Int64(configuration.recording.maxBytes))
        guard configuration.recording.isEnabled else {
            if RecordingFolder.isUsed(paths.recordings) {
                expiring = try? RecordingFolder(
                    expiring: paths.recordings, limits: limits, on: thread.loop())
            }
            return
        }
        plan = RecordingPlan(
            sink: Self.sink(paths.recordings, limits, thread, log), partBytes: limits.partBytes,
            partSeconds: limits.partSeconds,
            rules: configuration.rules, profile: configuration.device.profile.rawValue,
            configuration: Self.value(of: configuration), receiver: Self.receiver(configuration))
    }

    /// Ends what the pipeline does not end itself.
    func close() {
        expiring?.close()
        plan?.sink.close()
    }

    private static func sink(
        _ path: String, _ limits: RecordingFolder.Limits, _ thread: FilesThread,
        _ log: any LogSink
    ) -> any RecordingSink {
        do throws(SystemError) {
            let folder = try RecordingFolder(path, limits: limits, on: thread.loop()) { reason in
                log.write(LogLine(.error, "the recording has stopped: \(reason)"))
            }
            if let mode = RecordingFolder.openMode(of: path) {
                log.write(
                    LogLine(
                        .warning,
                        "recording.directory \(path): mode \(mode) lets others look into it, "
                            + "chmod 0700 \(path)"))
            }
            return folder
        } catch {
            log.write(LogLine(.error, "nothing is recorded: \(error)"))
            return MissingRecording(reason: "\(error)")
        }
    }

    private static func receiver(_ configuration: AgentConfiguration) -> String {
        if configuration.position != nil { return "position" }
        let source = configuration.receiver.source.rawValue
        return configuration.receiver.path.map { "\(source) \($0)" } ?? source
    }

    private static func value(of configuration: AgentConfiguration) -> JSONValue? {
        guard let bytes = try? WireCoding.encode(configuration) else { return nil }
        return try? WireCoding.decode(JSONValue.self, from: bytes)
    }
}

/// A recording that could not begin.
private struct MissingRecording: RecordingSink {
    let reason: String

    func append(_ lines: [UInt8], startsPart: Bool) -> Bool { true }

    var state: RecordingState { .stopped(reason: reason) }

    func close() {}
}

extension RecordingFolder: RecordingSink {
    public var state: RecordingState {
        stopReason.map { .stopped(reason: $0) } ?? .recording
    }

    public func close() { close(milliseconds: Self.patienceMilliseconds) }

    /// For a disk that is slow when the agent ends.
    private static let patienceMilliseconds = 2000
}
