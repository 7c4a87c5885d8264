import FieldTools
import Geodesy
import GeofenceAgent
import Geofencing
import Positioning
import Timekeeping
import WireFormat

/// `shared/cases/fence-tracks.json`.
struct CaseFile: Decodable {
    var cases: [Case]

    struct Case: Decodable {
        var id: String
        var title: String
        var initialEnter: Bool?
        var fences: [CaseFence]
        var fixes: [Step]
        var expect: [Expectation]

        enum CodingKeys: String, CodingKey {
            case id, title, fences, fixes, expect
            case initialEnter = "initial_enter"
        }
    }

    struct CaseFence: Decodable {
        var id: String
        var type: WireFence.Kind
        var version: Int?
        var lat: Double?
        var lon: Double?
        var radiusMeters: Double?
        var dwellSeconds: Double?
        var coordinates: JSONValue?

        enum CodingKeys: String, CodingKey {
            case id, type, version, lat, lon, coordinates
            case radiusMeters = "radius_m"
            case dwellSeconds = "dwell_s"
        }

        func wire() throws -> WireFence {
            var fence = WireFence(id: id, type: type)
            fence.version = version
            fence.radiusMeters = radiusMeters
            fence.dwellSeconds = dwellSeconds
            if let lat, let lon, let place = Coordinate(latitude: lat, longitude: lon) {
                fence.center = WireCoordinate(place)
            }
            if let coordinates {
                let kind = type == .polygon ? "Polygon" : "MultiPolygon"
                fence.geometry = try WireCoding.decode(
                    WireGeometry.self,
                    from: try WireCoding.encode(
                        ["type": JSONValue.string(kind), "coordinates": coordinates]))
            }
            return fence
        }
    }

    struct Step: Decodable {
        var t: Double?
        var op: String?
        var lat: Double?
        var lon: Double?
        var acc: Double?
        var speed: Double?
        var mode: Int?
        var fences: [CaseFence]?
    }

    struct Expectation: Decodable {
        var type: String
        var fence: String
        var earliest: Double
        var latest: Double
        var reason: String?
        var initial: Bool?

        enum CodingKeys: String, CodingKey {
            case type, fence, reason, initial
            case earliest = "t_min"
            case latest = "t_max"
        }
    }
}

extension CaseFile.Case {
    private static let epoch = UTCTime(millisecondsSince1970: 1_767_225_600_000)

    /// The case as a recording: uptime follows arrival order, whatever the fix times say.
    func recording() throws -> [UInt8] {
        try records().flatMap(RecordingWriter.line)
    }

    private func records() throws -> [RecordingRecord] {
        var rules = WireRules()
        if initialEnter == false { rules.initialEnter = .silent }
        var records = [
            RecordingRecord(milliseconds: 0, .header(RecordingHeader(rules: rules))),
            RecordingRecord(
                milliseconds: 0, .fences(RecordedFences(try fences.map { try $0.wire() }))),
        ]
        var (uptime, last) = (Int64(0), Double?.none)
        for step in fixes {
            let time = step.t ?? last
            if let last, let time {
                let delta = time - last
                uptime += delta <= 0 ? 20 : delta > 100_000 ? 1000 : Int64((delta * 1000).rounded())
            }
            last = time
            records.append(
                RecordingRecord(milliseconds: uptime, try content(step, time ?? 0, uptime)))
        }
        return records
    }

    private func content(
        _ step: CaseFile.Step, _ time: Double, _ uptime: Int64
    ) throws -> RecordingRecord.Content {
        if step.op == "restart" { return .restart() }
        if let fences = step.fences {
            return .fences(RecordedFences(try fences.map { try $0.wire() }))
        }
        var fix = Fix(
            time: Self.epoch.advanced(byMilliseconds: Int64((time * 1000).rounded())),
            isTimeTrusted: true, uptime: Uptime(milliseconds: uptime), source: .recording)
        guard step.mode ?? 3 > 1, let lat = step.lat, let lon = step.lon,
            let place = Coordinate(latitude: lat, longitude: lon)
        else { return .fix(fix) }
        fix.coordinate = place
        fix.dimension = .threeDimensional
        fix.quality = .autonomous
        fix.speed = step.speed
        fix.horizontalAccuracy = step.acc.map {
            HorizontalAccuracy(meters: $0, provenance: .receiver)
        }
        return .fix(fix)
    }

    /// What the tracker decides: measuring only what may have come near, or everything at every fix.
    func decisions(looksEverywhere: Bool) throws -> [Transition] {
        var rules = TransitionRules()
        if initialEnter == false { rules.initialEnter = .silent }
        var tracker = FenceTracker(rules: rules)
        var filter = FixFilter()
        var present: [PreparedFence] = []
        var log: [Transition] = []
        for record in try records() {
            let now = Uptime(milliseconds: record.milliseconds)
            switch record.content {
            case .fences(let set):
                present = try set.fences.map { try PreparedFence($0.fence(at: "/")) }
            case .restart:
                tracker = FenceTracker(rules: rules, restoring: tracker.state)
                filter = FixFilter()
                if let last = tracker.lastFix { filter.resume(after: last) }
            case .fix(var fix):
                fix.uptime = now
                let judged = filter.ingest(fix)
                for member in judged.released + [judged.latest] {
                    if looksEverywhere { tracker.forgetDistances() }
                    log += tracker.ingest(member)
                }
                continue
            default: continue
            }
            log += tracker.setFences(present, at: Moment(uptime: now, utc: nil))
            tracker.setMonitored(Array(present.indices), at: now)
        }
        return log
    }

    /// The same case among forty fences far away, more than can be monitored.
    func crowded() -> Self {
        var copy = self
        let crowd = (0..<40).map { index in
            CaseFile.CaseFence(
                id: "crowd \(index)", type: .circle, lat: 10.5 + Double(index) * 0.001, lon: 20,
                radiusMeters: 30)
        }
        copy.fences += crowd
        for index in copy.fixes.indices where copy.fixes[index].fences != nil {
            copy.fixes[index].fences? += crowd
        }
        return copy
    }

    /// What is missing and what is too much, in words.
    func differences() throws -> [String] {
        var replay = try Replay(try recording())
        var left: [Transition] = []
        while let step = try replay.next() { left += step.transitions }
        var missing: [String] = []
        for want in expect {
            let fitting = left.indices.filter { fits(left[$0], want) }
            if fitting.isEmpty { missing.append("missing \(want.type) \(want.fence)") }
            let taken = Set(want.type == "any_visit" ? fitting : Array(fitting.prefix(1)))
            left = left.indices.filter { !taken.contains($0) }.map { left[$0] }
        }
        return missing + left.map { "extra \($0.kind.rawValue) \($0.fenceID)" }
    }

    private func fits(_ transition: Transition, _ want: CaseFile.Expectation) -> Bool {
        let kinds = want.type == "any_visit" ? ["enter", "exit", "pass"] : [want.type]
        let isInTime = [transition.detected, transition.occurred].contains { moment in
            guard let seconds = moment.utc?.seconds(since: Self.epoch) else { return false }
            return seconds >= want.earliest - 1e-6 && seconds <= want.latest + 1e-6
        }
        return kinds.contains(transition.kind.rawValue) && transition.fenceID == want.fence
            && isInTime && (want.initial ?? transition.isInitial) == transition.isInitial
            && (want.reason ?? transition.reason?.rawValue) == transition.reason?.rawValue
    }
}
