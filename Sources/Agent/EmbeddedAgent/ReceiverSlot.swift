import GeofenceAgent
import NMEA
import Positioning
import Receivers
import Synchronization
import Timekeeping

/// The source of fixes that the configuration asks for, and its report.
final class ReceiverSlot: Sendable {
    private let serial = Mutex<SerialFixSource?>(nil)

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
            return RecordedFileSource(
                RecordedFileSource.Configuration(path: path, decoder: decoder), timekeeper: time)
        }
        let memory = BaudMemory(directory: stateDirectory, log: log)
        let source = SerialFixSource(
            SerialFixSource.Configuration(
                path: receiver.path, baud: receiver.baud, lastGoodBaud: memory.read(),
                deliversRawBytes: false, decoder: decoder),
            timekeeper: time, rememberBaud: memory.remember)
        serial.withLock { $0 = source }
        return source
    }

    /// What the source tells of itself now.
    var report: ReceiverReport {
        guard let snapshot = serial.withLock({ $0 })?.snapshot else { return ReceiverReport() }
        return ReceiverReport(
            device: snapshot.devicePath, baud: snapshot.baud, bytes: snapshot.counters.bytes,
            acceptedSentences: snapshot.counters.accepted,
            rejectedSentences: snapshot.counters.rejected)
    }
}
