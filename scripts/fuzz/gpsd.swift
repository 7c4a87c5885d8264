// gpsd's lines as they come over a socket: in any pieces, live, with pauses, through the quality gate.
import Geodesy
import Positioning
import Timekeeping
import WireFormat

func check(_ fix: Fix) {
    demand((fix.coordinate == nil) == (fix.dimension == .none), "a position without a dimension")
    if let place = fix.coordinate {
        demand(abs(place.latitude) <= 90 && abs(place.longitude) <= 180, "not on Earth")
        demand(max(abs(place.latitude), abs(place.longitude)) >= 1e-4, "null island")
    }
    demand(fix.speed.map { $0 >= 0 && $0.isFinite } != false, "speed")
    demand(fix.course.map { (0..<360).contains($0) } != false, "course")
    demand(
        fix.horizontalAccuracy.map { $0.meters > 0 && $0.meters.isFinite } != false, "accuracy")
    demand(fix.altitudeMeters.map(\.isFinite) != false, "altitude")
}

func epochs(_ bytes: ArraySlice<UInt8>, pieces: Int) -> ([Fix], GPSDCounters) {
    var decoder = GPSDDecoder(configuration: .init(isFile: true))
    var fixes: [Fix] = []
    var next = bytes.startIndex
    while next < bytes.endIndex {
        let end = min(next + pieces, bytes.endIndex)
        decoder.consume(bytes[next..<end]) { fixes.append($0) }
        next = end
    }
    decoder.finish { fixes.append($0) }
    return (fixes, decoder.counters)
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzGPSD(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 1 else { return 0 }
    let all = Array(UnsafeBufferPointer(start: start, count: count))
    let bytes = all[1...]
    let pieces = Int(all[0] % 67) + 1
    let whole = epochs(bytes, pieces: bytes.count)
    demand(whole == epochs(bytes, pieces: pieces), "the pieces change the epochs")
    demand(whole.1.epochs == whole.0.count, "epochs counted wrongly")
    whole.0.forEach(check)

    var decoder = GPSDDecoder(
        configuration: .init(dateFloor: CalendarDate(year: 2026, month: 1, day: 1)))
    var filter = FixFilter()
    filter.sourceOpened()
    func take(_ fix: Fix) {
        check(fix)
        _ = filter.ingest(fix)
    }
    var now = Uptime(milliseconds: 0)
    var next = bytes.startIndex
    var step = Int64(all[0])
    while next < bytes.endIndex {
        let end = min(next + pieces, bytes.endIndex)
        decoder.consume(bytes[next..<end], at: now, emit: take)
        next = end
        step = step &* 31 % 1009
        now = now.advanced(byMilliseconds: step)
        decoder.idle(at: now, emit: take)
    }
    decoder.finish(at: now, emit: take)
    return 0
}
