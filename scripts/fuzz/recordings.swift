// Recordings: read record by record, written again, and replayed through the whole pipeline.
import FieldTools
import Timekeeping
import WireFormat

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecordings(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    var reader = RecordingReader(bytes)
    var last: Int64 = 0
    var kinds = 0
    _ = read {
        while let record = try reader.next() {
            demand(record.milliseconds >= last, "the time goes back")
            last = record.milliseconds
            kinds += 1
        }
    }
    demand(kinds <= reader.line, "more records than lines")
    _ = read {
        var replay = try Replay(bytes)
        while let step = try replay.next() {
            demand(step.milliseconds >= 0, "a step before the start")
        }
        replay.conclude()
    }
    return 0
}
