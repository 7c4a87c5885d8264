import NMEA
import Positioning
import Timekeeping
import WireFormat

/// The epochs of a recording: those that its raw bytes decode to, and those that it states. The
/// uptimes are counted from its start.
public enum RecordedFixes {
    /// Throws where a record contradicts its form.
    public static func forEach(
        of bytes: [UInt8], _ body: (Fix) -> Void
    ) throws(RecordingError) {
        var reader = RecordingReader(LogText.normalised(bytes))
        var decoder = RecordedBytes(NMEADecoder.Configuration())
        var hasPauses = false
        while let record = try reader.next() {
            let now = Uptime(milliseconds: record.milliseconds)
            let arrived = Uptime(
                milliseconds: record.arrivedMilliseconds ?? record.milliseconds)
            if !hasPauses { for fix in decoder.pause(until: now) { body(fix) } }
            switch record.content {
            case .header(let header): hasPauses = header.run != nil
            case .raw(let raw): for fix in decoder.consume(raw, at: arrived) { body(fix) }
            case .source(.paused): for fix in decoder.idle(at: arrived) { body(fix) }
            case .source(.ended): for fix in decoder.finish(at: arrived) { body(fix) }
            case .fix(let fix): body(fix)
            case .restart:
                for fix in decoder.finish() { body(fix) }
                decoder = RecordedBytes(NMEADecoder.Configuration())
            default: break
            }
        }
        for fix in decoder.finish() { body(fix) }
    }
}
