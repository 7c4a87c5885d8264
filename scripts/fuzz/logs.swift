// The paths of whole files: gpsd's JSON, GPX, CSV, recordings, and whatever looks like one of them.
import FieldTools
import Geodesy
import Positioning
import Timekeeping

func check(_ fix: Fix) {
    demand((fix.coordinate == nil) == (fix.dimension == .none), "a position without a dimension")
    if let place = fix.coordinate {
        demand(abs(place.latitude) <= 90 && abs(place.longitude) <= 180, "not on Earth")
    }
    demand(fix.speed.map { $0 >= 0 && $0.isFinite } != false, "speed")
    demand(
        fix.horizontalAccuracy.map { $0.meters > 0 && $0.meters.isFinite } != false, "accuracy")
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLogs(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let form = LogForm.judge(bytes, isWhole: true)
    demand(form != nil, "a whole file without a form")
    for length in [0, 1, 2, 3, count / 2] where length < count {
        // More bytes may decide, never change a decision.
        let early = LogForm.judge(Array(bytes[..<length]), isWhole: false)
        demand(early == nil || early == form, "the form changed")
    }
    do {
        var last = Uptime(milliseconds: 0)
        if form == .recording {
            try RecordedFixes.forEach(of: bytes, check)
        } else {
            for fix in try TrackFile.fixes(of: bytes) {
                check(fix)
                demand(last <= fix.uptime, "the uptime goes back")
                last = fix.uptime
            }
        }
    } catch {
        demand(!"\(error)".isEmpty, "an error without words")
    }
    _ = DateSearch.firstInstant(of: bytes)
    return 0
}
