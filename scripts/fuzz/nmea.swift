// The NMEA path: any bytes, in any pieces, live or from a file, through decoder and quality gate.
import Geodesy
import NMEA
import Positioning
import Timekeeping

func check(_ fix: Fix) {
    demand((fix.coordinate == nil) == (fix.dimension == .none), "a position without a dimension")
    demand((fix.quality == .none) == (fix.dimension == .none), "a quality without a position")
    if let place = fix.coordinate {
        demand(abs(place.latitude) <= 90 && abs(place.longitude) <= 180, "not on Earth")
        demand(max(abs(place.latitude), abs(place.longitude)) >= 1e-4, "null island")
    }
    demand(fix.speed.map { $0 >= 0 && $0.isFinite } != false, "speed")
    demand(fix.course.map { (0..<360).contains($0) } != false, "course")
    demand(fix.hdop.map { $0 > 0 && $0 < 89.99 } != false, "HDOP")
    demand(
        fix.horizontalAccuracy.map { $0.meters > 0 && $0.meters.isFinite } != false, "accuracy")
    demand(fix.altitudeMeters.map(\.isFinite) != false, "altitude")
}

/// The epochs of a file that is read in pieces.
func epochs(_ bytes: UnsafeRawBufferPointer, pieces: Int) -> ([Fix], NMEACounters) {
    var decoder = NMEADecoder(configuration: .init(isFile: true))
    var fixes: [Fix] = []
    var start = 0
    while start < bytes.count {
        let end = min(start + pieces, bytes.count)
        decoder.consume(
            UnsafeRawBufferPointer(rebasing: bytes[start..<end]), at: Uptime(milliseconds: 0)
        ) { fixes.append($0) }
        start = end
    }
    decoder.finish { fixes.append($0) }
    return (fixes, decoder.counters)
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNMEA(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 1 else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: start + 1, count: count - 1)
    let pieces = Int(start[0] % 67) + 1
    let whole = epochs(bytes, pieces: bytes.count)
    demand(whole == epochs(bytes, pieces: pieces), "the pieces change the epochs")
    demand(whole.1.epochs == whole.0.count, "epochs counted wrongly")
    demand(whole.1.fixes == whole.0.count { $0.coordinate != nil }, "fixes counted wrongly")
    whole.0.forEach(check)

    // Live: pieces arrive at odd moments, pauses close epochs, the gate judges them.
    var decoder = NMEADecoder(
        configuration: .init(
            allowsMissingChecksum: start[0] & 0x40 != 0,
            dateFloor: CalendarDate(year: 2026, month: 1, day: 1)))
    var filter = FixFilter()
    filter.sourceOpened()
    var accepted: Uptime?
    func take(_ fix: Fix) {
        check(fix)
        let result = filter.ingest(fix)
        for member in result.released + [result.latest] where member.verdict == .ok {
            demand(member.fix.coordinate != nil, "accepted without a position")
            demand(accepted.map { $0 <= member.fix.uptime } != false, "accepted out of order")
            accepted = member.fix.uptime
        }
    }
    var now = Uptime(milliseconds: 0)
    var next = 0
    var step = Int64(start[0])
    while next < bytes.count {
        let end = min(next + pieces, bytes.count)
        decoder.consume(
            UnsafeRawBufferPointer(rebasing: bytes[next..<end]), at: now, emit: take)
        next = end
        step = step &* 31 % 1009
        now = now.advanced(byMilliseconds: step)
        decoder.idle(at: now, emit: take)
    }
    decoder.finish(at: now, emit: take)
    return 0
}
