import FieldTools
import GeofenceAgent
import Geofencing
import Positioning
import TestSupport
import Testing
import Timekeeping
import WireFormat

@Suite("Replay")
struct ReplayTests {
    private let track = PlaneTrack()

    private var fence: Fence {
        Fence(
            id: "A", name: "A",
            shape: .circle(center: track.coordinate(east: 0), radiusMeters: 100), dwellSeconds: 60)
    }

    /// The recording of a drive through the fence with a stop inside.
    private func recording(_ extra: [RecordingRecord] = []) throws -> [UInt8] {
        var records = [
            RecordingRecord(milliseconds: 0, .header(RecordingHeader())),
            RecordingRecord(milliseconds: 0, .fences(RecordedFences([WireFence(fence)]))),
        ]
        for second in 0..<200 {
            let east =
                second < 40
                ? -400 + Double(second) * 10
                : second < 140 ? 0 : Double(second - 140) * 10
            let isStopped = (40..<140).contains(second)
            records.append(
                RecordingRecord(
                    milliseconds: Int64(second) * 1000,
                    .fix(
                        track.fix(
                            at: Double(second), east: east, speed: isStopped ? 0.1 : 10))))
        }
        records += extra
        return try records.flatMap(RecordingWriter.line)
    }

    private func decisions(
        _ bytes: [UInt8], fences: [Fence]? = nil
    ) throws -> (lines: [UInt8], story: [String], replay: Replay) {
        var replay = try Replay(bytes, fences: fences)
        var lines: [UInt8] = []
        var story: [String] = []
        while let step = try replay.next() {
            for transition in step.transitions {
                lines += try WireCoding.encode(WireDecision(transition)) + [0x0A]
                story.append("\(transition.kind.rawValue) \(transition.fenceID)")
            }
        }
        return (lines, story, replay)
    }

    @Test("a recording gives its decisions, every time the same bytes")
    func determinism() throws {
        let bytes = try recording()
        let first = try decisions(bytes)
        #expect(first.story == ["enter A", "dwell A", "exit A"])
        #expect(try decisions(bytes).lines == first.lines)
    }

    @Test("other fences replace those of the recording")
    func otherFences() throws {
        var other = fence
        other.id = "B"
        other.dwellSeconds = nil
        #expect(try decisions(recording(), fences: [other]).story == ["enter B", "exit B"])
    }

    @Test("observations and recorded decisions change nothing")
    func observations() throws {
        let bytes = try recording()
        let noisy = try recording([
            RecordingRecord(milliseconds: 300_000, .mark(fence: "A", kind: "enter", label: nil)),
            RecordingRecord(milliseconds: 300_000, .network(link: false, server: nil)),
            RecordingRecord(milliseconds: 300_000, .filter(verdict: "stale")),
        ])
        #expect(try decisions(noisy).lines == decisions(bytes).lines)
    }

    @Test("an input of unknown kind makes it inconclusive")
    func inconclusive() throws {
        let bytes = try recording([
            RecordingRecord(milliseconds: 300_000, .unknownInput(kind: "tilt"))
        ])
        #expect(try decisions(bytes).replay.unknownInputs == ["tilt"])
        #expect(try decisions(recording()).replay.unknownInputs.isEmpty)
    }

    @Test("a restart goes on from what was persisted")
    func restart() throws {
        var lines = try recording().split(separator: 0x0A).map(Array.init)
        let restart = try RecordingWriter.line(RecordingRecord(milliseconds: 99_500, .restart()))
        lines.insert(restart.dropLast(), at: 102)
        let bytes = Array(lines.joined(separator: [0x0A])) + [0x0A]
        #expect(try decisions(bytes).story == ["enter A", "dwell A", "exit A"])
    }

    @Test("raw bytes run through the decoder, live or in one piece")
    func raw() throws {
        func sentence(_ body: String) -> String {
            let sum = body.utf8.reduce(0) { $0 ^ $1 }
            return "$\(body)*\(sum < 16 ? "0" : "")\(String(sum, radix: 16, uppercase: true))\r\n"
        }
        func epoch(_ second: Int, _ east: Double) -> String {
            let place = track.coordinate(east: east)
            let minutes = (place.longitude - 20) * 60
            let clock =
                "12\(String(100 + second / 60).dropFirst())\(String(100 + second % 60).dropFirst()).00"
            let text =
                minutes < 0 ? "01959.\(Self.digits(60 + minutes))" : "02000.\(Self.digits(minutes))"
            return sentence(
                "GPRMC,\(clock),A,1000.00000,N,\(text),E,19.4,090.0,010126,,,A")
        }
        var log = ""
        var records = [
            RecordingRecord(milliseconds: 0, .header(RecordingHeader())),
            RecordingRecord(milliseconds: 0, .fences(RecordedFences([WireFence(fence)]))),
        ]
        for second in 0..<90 {
            let text = epoch(second, -450 + Double(second) * 10)
            log += text
            records.append(
                RecordingRecord(milliseconds: Int64(second) * 1000, .raw(Array(text.utf8))))
        }
        let recorded = try decisions(records.flatMap(RecordingWriter.line))
        #expect(recorded.story == ["enter A", "exit A"])
        let plain = try decisions(Array(log.utf8), fences: [fence])
        #expect(plain.story == recorded.story)
        let wide: [UInt8] = [0xFF, 0xFE] + Array(log.utf8.map { [$0, 0] }.joined())
        #expect(try decisions(wide, fences: [fence]).lines == plain.lines)
        let android = log.split(separator: "\r\n").enumerated().map {
            "NMEA,\($0.element),\(1_767_268_800_000 + $0.offset * 1000)\n"
        }.joined()
        #expect(try decisions(Array(android.utf8), fences: [fence]).lines == plain.lines)
        let dated = log.split(separator: "\r\n").map { "2026-01-01T12:00:00.100Z \($0)\n" }.joined()
        #expect(try decisions(Array(dated.utf8), fences: [fence]).lines == plain.lines)
    }

    /// "dd.ddddd" minutes without the whole part's point: five decimals of minutes below 60.
    private static func digits(_ minutes: Double) -> String {
        let scaled = Int(((minutes - minutes.rounded(.down)) * 100_000).rounded())
        return String(String(100_000 + min(scaled, 99_999)).dropFirst())
    }

    @Test("tracks of other forms give the same story")
    func tracks() throws {
        var (csv, gpx, gpsd) = ("time,lat,lon,accuracy_m,speed_mps\n", "<gpx><trk><trkseg>\n", "")
        for second in 0..<120 {
            let fix = track.fix(at: Double(second), east: -600 + Double(second) * 10)
            guard let place = fix.coordinate, let time = fix.time else { continue }
            csv += "\(time.rfc3339),\(place.latitude),\(place.longitude),5,10\n"
            gpx +=
                "<trkpt lat=\"\(place.latitude)\" lon='\(place.longitude)'>\n"
                + "<time>\(time.rfc3339)</time><speed>10</speed></trkpt>\n"
            gpsd +=
                #"{"class":"SKY"}"# + "\n"
                + #"{"class":"TPV","mode":3,"time":"\#(time.rfc3339)","lat":\#(place.latitude),"#
                + #""lon":\#(place.longitude),"eph":5,"speed":10}"# + "\n"
        }
        gpx += "</trkseg></trk></gpx>\n"
        for text in [csv, gpx, gpsd] {
            #expect(
                try decisions(Array(text.utf8), fences: [fence]).story == ["enter A", "exit A"])
        }
    }

    @Test(
        "a defect of a track names its line",
        arguments: [
            ("time,lat,lon\n2026-01-01T00:00:00Z,1,2\nnever,1,2\n", "line 3"),
            ("<gpx>\n<trkpt lon='1'></trkpt></gpx>", "line 2"),
            ("{\"class\":\"TPV\"}\n{\n", "line 2"), ("hello\n", "line 1"), ("", "line 1"),
        ])
    func defects(text: String, place: String) {
        #expect {
            _ = try decisions(Array(text.utf8), fences: [])
        } throws: {
            "\($0)".hasPrefix(place)
        }
    }
}

@Suite("Cases with known answers")
struct FenceTrackCaseTests {
    /// The cases of `shared/cases/fence-tracks.json` are run by their own script through the
    /// program; here the visible part of them guards the pipeline itself.
    @Test(
        "every case agrees",
        .enabled(if: SharedFolder.path("cases/fence-tracks.json") != nil, "no shared folder"))
    func cases() throws {
        let bytes = try #require(SharedFolder.bytes("cases/fence-tracks.json"))
        let file = try WireCoding.decode(CaseFile.self, from: bytes)
        #expect(file.cases.count > 30)
        for item in file.cases {
            #expect(try item.differences().isEmpty, "\(item.id) \(item.title)")
        }
    }

    @Test(
        "looking at what is near decides every case as looking at everything does",
        .enabled(if: SharedFolder.path("cases/fence-tracks.json") != nil, "no shared folder"))
    func budgeted() throws {
        let bytes = try #require(SharedFolder.bytes("cases/fence-tracks.json"))
        let file = try WireCoding.decode(CaseFile.self, from: bytes)
        var decisions = 0
        for item in file.cases {
            let exhaustive = try item.decisions(looksEverywhere: true)
            decisions += exhaustive.count
            #expect(
                try item.decisions(looksEverywhere: false) == exhaustive,
                "\(item.id) \(item.title)")
            #expect(try item.crowded().differences() == [], "\(item.id) among forty others")
        }
        #expect(decisions > 50)
    }
}
