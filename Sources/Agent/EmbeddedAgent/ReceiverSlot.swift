import GeofenceAgent
import NMEA
import Positioning
import Receivers
import Synchronization
import Timekeeping
import WireFormat

/// The source of fixes that the configuration asks for, and its report.
final class ReceiverSlot: Sendable {
    /// In a structure, since a function in a Mutex gets one wrapper thicker each time it is read.
    private struct Reporter {
        var report: @Sendable () -> ReceiverReport
    }

    private let reporter = Mutex(Reporter(report: { ReceiverReport() }))

    /// Makes the source; nothing is opened yet.
    func fill(
        _ configuration: AgentConfiguration, dateFloor: CalendarDate, lastTrusted: TrustedTime?,
        stateDirectory: String, time: any Timekeeper, log: any LogSink
    ) -> any FixSource {
        if let fixed = configuration.position {
            return FixedPositionSource(
                coordinate: fixed.coordinate, accuracyMeters: fixed.accuracyMeters,
                timekeeper: time)
        }
        let decoder = NMEADecoder.Configuration(dateFloor: dateFloor, lastTrusted: lastTrusted)
        let receiver = configuration.receiver
        if receiver.source == .file, let path = receiver.path {
            let source = RecordedFileSource(
                RecordedFileSource.Configuration(
                    path: path, speed: Double(receiver.speed), decoder: decoder),
                timekeeper: time)
            reporter.withLock { $0.report = { Self.report(of: source) } }
            return source
        }
        if receiver.source == .gpsd,
            let address = GPSDAddress(host: receiver.host, port: receiver.port)
        {
            let source = GPSDFixSource(
                GPSDFixSource.Configuration(
                    address: address, deliversReports: configuration.recording.isEnabled,
                    decoder: GPSDDecoder.Configuration(
                        dateFloor: dateFloor, lastTrusted: lastTrusted)),
                timekeeper: time)
            reporter.withLock { $0.report = { Self.report(of: source) } }
            return source
        }
        let memory = BaudMemory(directory: stateDirectory, log: log)
        let source = SerialFixSource(
            SerialFixSource.Configuration(
                path: receiver.path, baud: receiver.baud, lastGoodBaud: memory.read(),
                deliversRawBytes: configuration.recording.isEnabled, decoder: decoder),
            timekeeper: time, rememberBaud: memory.remember)
        reporter.withLock { $0.report = { Self.report(of: source) } }
        return source
    }

    /// What the source tells of itself now.
    var report: ReceiverReport { reporter.withLock { $0.report }() }

    private static func report(of source: SerialFixSource) -> ReceiverReport {
        let snapshot = source.snapshot
        return ReceiverReport(
            device: snapshot.devicePath, baud: snapshot.baud, openings: snapshot.openings,
            hangUps: snapshot.hangUps, nmea: snapshot.counters, time: snapshot.timeCounts)
    }

    private static func report(of source: GPSDFixSource) -> ReceiverReport {
        let snapshot = source.snapshot
        let device = snapshot.devicePath.map { "\($0) of gpsd at \(source.address)" }
        return ReceiverReport(
            device: device ?? (snapshot.isConnected ? "gpsd at \(source.address)" : nil),
            openings: snapshot.openings, hangUps: snapshot.hangUps, gpsd: snapshot.counters,
            time: snapshot.timeCounts)
    }

    private static func report(of source: RecordedFileSource) -> ReceiverReport {
        let snapshot = source.snapshot
        return ReceiverReport(nmea: snapshot.counters, time: snapshot.timeCounts)
    }
}
