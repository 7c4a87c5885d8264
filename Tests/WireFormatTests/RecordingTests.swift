import Geodesy
import Geofencing
import Positioning
import TestSupport
import Testing
import Timekeeping

@testable import WireFormat

@Suite("Recordings")
struct RecordingTests {
    private static let header =
        #"{"k":"header","io":"in","m":0,"schema":"geofence.recording/1","rules":{}}"#

    private func records(_ lines: [String]) throws -> [RecordingRecord] {
        var reader = RecordingReader(Array(lines.joined(separator: "\n").utf8) + [0x0A])
        var result: [RecordingRecord] = []
        while let record = try reader.next() { result.append(record) }
        return result
    }

    @Test("every kind that is written is read back as it was")
    func roundTrip() throws {
        let track = PlaneTrack()
        let fix = track.fix(at: 3, east: 10, accuracy: 4.5, speed: 1.25)
        let fence = WireFence(
            Fence(
                id: "A", name: "A",
                shape: .circle(center: track.coordinate(east: 0), radiusMeters: 50)))
        let contents: [RecordingRecord.Content] = [
            .header(RecordingHeader(agentVersion: "1.0", receiver: "u-blox")),
            .fences(RecordedFences([fence])),
            .raw(Array("$GPGGA,\r\n".utf8)), .raw([0xB5, 0x62, 0, 255]), .fix(fix),
            .fix(track.void(at: 3)), .hint(stationary: true), .restart(),
            .mark(fence: "A", kind: "enter", label: nil), .network(link: true, server: false),
            .filter(verdict: "stale"),
        ]
        var bytes: [UInt8] = []
        for content in contents {
            bytes += try RecordingWriter.line(
                RecordingRecord(milliseconds: 3000, utc: track.start, content))
        }
        var reader = RecordingReader(bytes)
        var again: [UInt8] = []
        var count = 0
        while let record = try reader.next() {
            count += 1
            #expect(record.milliseconds == 3000)
            #expect(record.utc == track.start)
            again += try RecordingWriter.line(record)
            if case .fix(let read) = record.content, read.coordinate != nil {
                #expect(read == fix)
            }
        }
        #expect(count == contents.count)
        #expect(again == bytes)
    }

    @Test(
        "the numbers of a run are refused where a replay could not reckon with them",
        arguments: [
            (#""part":1,"mono_ms":1000000000000000"#, true),
            (#""part":1,"mono_ms":5,"trusted_mono_ms":-1000000000000000"#, true),
            (#""part":1,"mono_ms":1000000000000001"#, false),
            (#""part":1,"mono_ms":9223372036854775807"#, false),
            (#""part":1,"mono_ms":-9223372036854775808"#, false),
            (#""part":1,"mono_ms":5,"trusted_mono_ms":9223372036854775807"#, false),
            (#""part":9223372036854775807,"mono_ms":5"#, false),
            (#""part":0,"mono_ms":5"#, false),
        ] as [(String, Bool)])
    func run(numbers: String, isRead: Bool) throws {
        let line =
            Self.header.dropLast() + #","agent_version":"1","receiver":"r","run":{"id":"i","#
            + #""boot_id":"b","# + numbers + "}}"
        if isRead {
            #expect(try records([line]).count == 1)
        } else {
            #expect(throws: RecordingError.self) { _ = try records([line]) }
        }
    }

    @Test(
        "a defect names its line",
        arguments: [
            (["{"], "line 2: not a JSON object"), ([#"{"io":"in","m":0}"#], "line 2: k: missing"),
            ([#"{"k":"fix","io":"up","m":0}"#], "line 2: io: not in, out or obs"),
            ([#"{"k":"fix","io":"in"}"#], "line 2: m: not a number of milliseconds"),
            ([#"{"k":"fix","io":"in","m":-1}"#], "line 2: m: -1.0 is below 0"),
            (
                [#"{"k":"restart","io":"in","m":5}"#, #"{"k":"restart","io":"in","m":4}"#],
                "line 3: m: 4 after 5, but m never decreases"
            ),
            (
                [#"{"k":"fix","io":"in","m":0,"time":"today","lat":1,"lon":1}"#],
                "line 2: time: 'today' is not an RFC 3339 time"
            ),
            (
                [#"{"k":"fix","io":"in","m":0,"lat":"x","lon":1}"#],
                "line 2: a fix of dimension 2d has lat and lon"
            ),
            (
                [#"{"k":"fix","io":"in","m":0,"lat":1,"lon":1,"dimension":"4d"}"#],
                "line 2: dimension: not none, 2d or 3d"
            ),
            ([#"{"k":"hint","io":"in","m":0}"#], "line 2: stationary: not true or false"),
            ([#"{"k":"raw","io":"in","m":0,"b64":"*"}"#], "line 2: b64: not base64"),
            (
                [#"{"k":"fences","io":"in","m":0,"fences":[{"id":"A"}]}"#],
                "line 2: /fences/0/type: missing"
            ),
        ])
    func defects(lines: [String], message: String) {
        #expect {
            _ = try records([Self.header] + lines)
        } throws: { error in
            "\(error)" == message
        }
    }

    @Test("the header comes first, with the schema that this version reads")
    func header() {
        #expect {
            _ = try records([#"{"k":"restart","io":"in","m":0}"#])
        } throws: {
            "\($0)" == "line 1: the first record is 'restart', not header"
        }
        #expect {
            _ = try records([#"{"k":"header","io":"in","m":0,"schema":"geofence.recording/2"}"#])
        } throws: {
            "\($0)" == "line 1: schema: 'geofence.recording/2' is not geofence.recording/1"
        }
        #expect {
            _ = try records([
                #"{"k":"header","io":"in","m":0,"schema":"geofence.recording/1","rules":{"fence_limit":19}}"#
            ])
        } throws: {
            "\($0)" == "line 1: /rules/fence_limit: 19 is out of range, allowed 0...18"
        }
    }

    @Test("a torn last line is passed over, a torn line before others is not")
    func torn() throws {
        let whole = Self.header + "\n" + #"{"k":"restart","io":"in","m":7}"# + "\n"
        for cut in 1..<31 {
            var reader = RecordingReader(Array((whole + whole.suffix(32).prefix(cut)).utf8))
            var count = 0
            while try reader.next() != nil { count += 1 }
            #expect(count == 2)
            #expect(reader.isTorn)
        }
        var complete = RecordingReader(Array(whole.dropLast().utf8))
        #expect(try complete.next() != nil)
        #expect(try complete.next()?.milliseconds == 7)
        #expect(!complete.isTorn)
    }

    @Test("an unknown input is told, unknown observations are passed over")
    func unknown() throws {
        let read = try records([
            Self.header, #"{"k":"tilt","io":"in","m":1}"#, #"{"k":"tilt","io":"obs","m":2}"#,
        ])
        guard case .unknownInput("tilt") = read[1].content, case .ignored("tilt") = read[2].content
        else {
            Issue.record("read as \(read)")
            return
        }
    }

    @Test("a fix off Earth is a void epoch")
    func offEarth() throws {
        let read = try records([
            Self.header, #"{"k":"fix","io":"in","m":1,"lat":95,"lon":20,"dimension":"3d"}"#,
        ])
        guard case .fix(let fix) = read[1].content else { return }
        #expect(fix.coordinate == nil)
        #expect(fix.dimension == .none)
    }

    @Test("a recording is told from a receiver's log")
    func recognition() {
        #expect(RecordingReader.recognises(Array(Self.header.utf8)))
        #expect(!RecordingReader.recognises(Array("$GPGGA,1*00".utf8)))
        #expect(!RecordingReader.recognises(Array(#"{"class":"TPV"}"#.utf8)))
        #expect(!RecordingReader.recognises([]))
    }
}

@Suite("The scanner of record lines")
struct JSONObjectScannerTests {
    @Test(
        "numbers are those of the general decoder, to the last bit",
        arguments: [
            "0", "-0", "1", "-12.5", "10.0014466", "12.224976563232412", "1e3", "1.5E-7",
            "123456789012345678901234567890", "0.1", "9007199254740993", "179.99999999999997",
        ])
    func numbers(text: String) throws {
        let value = try #require(JSONObjectScanner.number(ArraySlice(text.utf8)))
        #expect(value.bitPattern == Double(text)?.bitPattern)
    }

    @Test(
        "what JSON does not call a number is none",
        arguments: ["", "-", "nan", "inf", "0x10", ".5", "1e", "--1", "1.2.3"])
    func notNumbers(text: String) {
        #expect(JSONObjectScanner.number(ArraySlice(text.utf8)) == nil)
    }

    @Test("random numbers survive")
    func randomNumbers() {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<2000 {
            let value = (random.unit() - 0.5) * 400
            #expect(JSONObjectScanner.number(ArraySlice("\(value)".utf8)) == value)
        }
    }

    @Test(
        "lines that are no object are refused",
        arguments: ["", "[]", "{", #"{"a"}"#, #"{"a":}"#, #"{"a":1"#, #"{"a":1}x"#, #"{"a":"b}"#])
    func outlines(text: String) {
        #expect(JSONObjectScanner(ArraySlice(text.utf8)) == nil)
    }

    @Test("nested values and escapes are passed over, and texts are unescaped")
    func nested() throws {
        let line = #"{ "a" : {"b":[1,{"c":"}\""}]}, "t":"x\n\u00e9\"" ,"n":-1.5,"f":true,"z":null}"#
        let scanner = try #require(JSONObjectScanner(ArraySlice(line.utf8)))
        #expect(scanner.text("t") == "x\n\u{e9}\"")
        #expect(scanner.number("n") == -1.5)
        #expect(scanner.flag("f") == true)
        #expect(scanner.isNull("z") && scanner.isNull("missing"))
        #expect(
            scanner["a"].map { String(decoding: $0, as: UTF8.self) } == #"{"b":[1,{"c":"}\""}]}"#)
    }
}

@Suite("Fence documents")
struct FenceDocumentTests {
    private func read(_ text: String) throws -> [Fence] {
        try FenceDocument.fences(from: Array(text.utf8))
    }

    @Test("GeoJSON: polygons, and points with a radius")
    func geoJSON() throws {
        let fences = try read(
            #"""
            {"type":"FeatureCollection","features":[
             {"type":"Feature","id":7,"geometry":{"type":"Point","coordinates":[8.5,47.1]},
              "properties":{"radius":120,"dwell_s":60,"transitions":["enter"],"name":"Depot"}},
             {"type":"Feature","properties":{"id":"P","arrival":"strict","version":3},
              "geometry":{"type":"Polygon","coordinates":[[[0,0],[0.1,0],[0.1,0.1],[0,0]]]}}]}
            """#)
        #expect(fences.map(\.id) == ["7", "P"])
        #expect(fences[0].name == "Depot")
        #expect(fences[0].dwellSeconds == 60)
        #expect(fences[0].transitions == [.enter])
        guard case .circle(let center, 120) = fences[0].shape else {
            Issue.record("\(fences[0].shape)")
            return
        }
        #expect(center.latitude == 47.1 && center.longitude == 8.5)
        #expect(fences[1].arrival == .strict && fences[1].version == 3)
    }

    @Test("a single feature, a list and a set are read too")
    func others() throws {
        let point =
            #"{"type":"Feature","id":"a","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"radius_m":50}}"#
        #expect(try read(point).map(\.id) == ["a"])
        let circle = #"{"id":"b","type":"circle","center":{"lat":2,"lon":1},"radius_m":50}"#
        #expect(try read("[\(circle)]").map(\.id) == ["b"])
        #expect(try read("{\"fences\":[\(circle)]}").map(\.id) == ["b"])
    }

    @Test("writing and reading again gives the same fences")
    func roundTrip() throws {
        let track = PlaneTrack()
        var circle = Fence(
            id: "c", version: 4, name: "C",
            shape: .circle(center: track.coordinate(east: 0), radiusMeters: 80),
            dwellSeconds: 90)
        circle.expiresAt = track.start
        let polygon = Fence(
            id: "p", name: "P",
            shape: .polygon(
                Polygon(rings: [
                    [
                        track.coordinate(east: 0), track.coordinate(east: 50),
                        track.coordinate(east: 0, north: 50), track.coordinate(east: 0),
                    ]
                ])))
        let bytes = try WireCoding.encode(
            FenceFeatureCollection([WireFence(circle), WireFence(polygon)]))
        #expect(try FenceDocument.fences(from: bytes) == [circle, polygon])
    }

    @Test(
        "a defect names its place",
        arguments: [
            ("", "the document is empty"), ("{}", "/fences: missing"),
            (#"{"type":"Topology"}"#, "'Topology' is not FeatureCollection or Feature"),
            (
                #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"radius":1}}]}"#,
                "/features/0/id: missing"
            ),
            (
                #"{"type":"FeatureCollection","features":[{"type":"Feature","id":"a","geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}]}"#,
                "a Point needs radius_m"
            ),
            (
                #"[{"id":"a","type":"circle","center":{"lat":91,"lon":1},"radius_m":50}]"#,
                "/0/center: not on Earth"
            ),
            (
                #"[{"id":"a","type":"circle","center":{"lat":1,"lon":1},"radius_m":50},{"id":"a","type":"circle","center":{"lat":1,"lon":1},"radius_m":50}]"#,
                "/1: id 'a' stands twice"
            ),
        ])
    func defects(text: String, message: String) {
        #expect {
            _ = try read(text)
        } throws: { error in
            "\(error)".hasSuffix(message)
        }
    }
}

@Suite("Rules on the wire")
struct WireRulesTests {
    @Test("what they say overrides, what they do not say stays")
    func mapping() throws {
        let rules = try WireCoding.decode(
            WireRules.self,
            from: Array(
                #"{"initial_enter":"silent","accuracy_scale":2,"exit_margin_min_m":9,"stationary_hold":true,"unknown":1}"#
                    .utf8))
        var transitions = TransitionRules()
        var filter = FixFilterRules()
        rules.apply(to: &transitions)
        rules.apply(to: &filter)
        #expect(transitions.initialEnter == .silent)
        #expect(transitions.hysteresisMinMeters == 9 && transitions.hysteresisMaxMeters == 20)
        #expect(transitions.holdsStationary)
        #expect(transitions.exitCount == 2)
        #expect(filter.accuracyScale == 2 && filter.arriveMaxMeters == 100)
    }

    @Test(
        "values out of range are refused with their name",
        arguments: [
            (#"{"accuracy_scale":0}"#, "/accuracy_scale: 0.0 is out of range, allowed 0.1...10.0"),
            (
                #"{"exit_confirmations":0}"#,
                "/exit_confirmations: 0 is out of range, allowed 1...60"
            ),
            (
                #"{"exit_margin_min_m":30,"exit_margin_max_m":20}"#,
                "/exit_margin_min_m: 30.0 is above exit_margin_max_m 20.0"
            ),
        ])
    func ranges(text: String, message: String) throws {
        let rules = try WireCoding.decode(WireRules.self, from: Array(text.utf8))
        #expect {
            try rules.validate()
        } throws: { "\($0)" == message }
    }
}
