import Positioning
import Timekeeping
import WireFormat

/// The epochs of a recording: those that its raw bytes decode to, and those that it states.
public enum RecordedFixes {
    /// Throws where a record contradicts its form.
    public static func forEach(
        of bytes: [UInt8], _ body: (Fix) -> Void
    ) throws(RecordingError) {
        var reader = RecordingReader(LogText.normalised(bytes))
        var decoder = RecordedBytes()
        while let record = try reader.next() {
            let now = Uptime(milliseconds: record.milliseconds)
            for fix in decoder.pause(until: now) { body(fix) }
            switch record.content {
            case .raw(let raw): for fix in decoder.consume(raw, at: now) { body(fix) }
            case .fix(let fix): body(fix)
            case .restart:
                for fix in decoder.finish() { body(fix) }
                decoder = RecordedBytes()
            default: break
            }
        }
        for fix in decoder.finish() { body(fix) }
    }
}
