import Geodesy
import Positioning
import Timekeeping
import WireFormat

/// gpsd JSON as `gpspipe -w` writes it: the TPV reports.
enum GPSDTrack {
    static func fixes(of text: [UInt8]) throws(RecordingError) -> [Fix] {
        var fixes: [Fix] = []
        var number = 0
        for line in text.split(separator: 0x0A, omittingEmptySubsequences: false) {
            number += 1
            guard line.contains(where: { $0 > 0x20 }) else { continue }
            do throws(WireError) {
                let report = try WireCoding.decode(Report.self, from: line)
                guard report.class == "TPV" else { continue }
                take(report.fix, into: &fixes)
            } catch {
                throw RecordingError(line: number, detail: error.description)
            }
        }
        return fixes
    }

    /// Reports of one epoch are one fix; the later one is the more complete.
    private static func take(_ fix: Fix, into fixes: inout [Fix]) {
        if let last = fixes.last, let time = fix.time, last.time == time {
            if fix.coordinate != nil { fixes[fixes.count - 1] = fix }
        } else {
            fixes.append(fix)
        }
    }

    private struct Report: Decodable {
        var `class`: String
        var mode: Int?
        var time: WireTime?
        var lat: Double?
        var lon: Double?
        var eph: Double?
        var speed: Double?
        var track: Double?

        var fix: Fix {
            var fix = Fix(
                time: time?.time, isTimeTrusted: time != nil,
                uptime: Uptime(milliseconds: 0), source: .recording)
            guard let mode, mode >= 2, let lat, let lon,
                let coordinate = Coordinate(latitude: lat, longitude: lon)
            else { return fix }
            fix.coordinate = coordinate
            fix.dimension = mode >= 3 ? .threeDimensional : .twoDimensional
            fix.quality = .autonomous
            fix.speed = speed.flatMap { $0 >= 0 ? $0 : nil }
            fix.course = track
            if let eph, eph > 0 {
                fix.horizontalAccuracy = HorizontalAccuracy(meters: eph, provenance: .receiver)
            }
            return fix
        }
    }
}
