import Geodesy
import SQLite
import TestSupport
import Testing
import WireFormat

@testable import ReferenceServer

@Suite("What the server notices about fences without refusing them")
struct FenceLintTests {
    private func put(_ fixture: ServerFixture, _ id: String, _ body: String) -> [JSONValue] {
        let answer = fixture.admin("PUT", "/v1/admin/fences/\(id)", body)
        #expect(answer.status < 300, "\(answer.text)")
        return answer["warnings"]?.array ?? []
    }

    private func codes(_ warnings: [JSONValue]) -> [String] {
        warnings.compactMap { $0["code"]?.string }
    }

    /// West, south, east, north in thousandths of a degree from 13 east, 52 north.
    private func box(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> String {
        func place(_ x: Double, _ y: Double) -> String { "[\(13 + x / 1_000),\(52 + y / 1_000)]" }
        let ring = [(west, south), (east, south), (east, north), (west, north), (west, south)]
            .map(place).joined(separator: ",")
        return """
            {"type": "polygon", "geometry": {"type": "Polygon", "coordinates": [[\(ring)]]}}
            """
    }

    @Test("polygons that overlap are told, however their middles lie, and neighbours are not")
    func polygons() throws {
        let fixture = try ServerFixture()
        #expect(codes(put(fixture, "a", box(0, 0, 10, 10))) == [])
        // A corner of each lies in the other; no middle does.
        #expect(codes(put(fixture, "b", box(8, 8, 18, 18))) == ["overlap"])
        #expect(codes(put(fixture, "b", box(10, 0, 20, 10))) == [])
        // A bar across both, whose corners lie in neither.
        let bar = put(fixture, "c", box(-5, 4, 25, 5))
        #expect(codes(bar) == ["overlap"])
        #expect(bar.first?["detail"]?.string?.hasPrefix("it overlaps fence 'a'") == true)
    }

    @Test("a polygon and a circle overlap by the polygon's edge")
    func polygonAndCircle() throws {
        let fixture = try ServerFixture()
        #expect(codes(put(fixture, "a", box(0, 0, 10, 10))) == [])
        // 111 m to the north of the upper edge.
        #expect(codes(put(fixture, "b", circle(lat: 52.011, lon: 13.009, radius: 105))) == [])
        #expect(
            codes(put(fixture, "b", circle(lat: 52.011, lon: 13.009, radius: 120))) == ["overlap"])
        #expect(codes(put(fixture, "a", box(0, 0, 10, 10.01))) == ["overlap"])
    }

    @Test("fences that came together the wrong way round are told beside those that were there")
    func swappedTogether() throws {
        let fixture = try ServerFixture()
        func collection(_ places: [(Double, Double)], _ prefix: String) -> String {
            let features = places.enumerated().map { index, place in
                """
                {"type": "Feature", "id": "\(prefix)\(index)", "properties": {"radius_m": 150},
                 "geometry": {"type": "Point", "coordinates": [\(place.0), \(place.1)]}}
                """
            }
            return """
                {"type": "FeatureCollection", "features": [\(features.joined(separator: ","))]}
                """
        }
        func imported(_ places: [(Double, Double)], _ prefix: String) -> [String] {
            let answer = fixture.admin(
                "POST", "/v1/admin/fences.geojson", collection(places, prefix))
            #expect(answer.status == 200, "\(answer.text)")
            return codes(answer["warnings"]?.array ?? [])
        }
        #expect(imported([(13.1, 52.1), (13.2, 52.2)], "berlin") == [])
        #expect(
            imported([(52.3, 13.3), (52.4, 13.4), (52.5, 13.5)], "swapped")
                == ["possibly_swapped_axes", "possibly_swapped_axes", "possibly_swapped_axes"])
        // Far away, and nowhere near anything the other way round.
        #expect(imported([(-74.1, 40.7), (-74.2, 40.8)], "york") == [])
        // Where latitude and longitude are much the same, exchanging them moves nothing.
        #expect(imported([(45.01, 45.02), (45.1, 45.3)], "diagonal") == [])
    }

    @Test("a radius below twice R95 is told once enough events came from the fence")
    func accuracy() throws {
        let fixture = try ServerFixture()
        func body(_ radius: Double) -> String { circle(lat: 52, lon: 13, radius: radius) }
        #expect(codes(put(fixture, "depot", body(120))) == [])
        func events(_ numbers: Range<Int>, _ accuracy: Double) -> [String] {
            numbers.map { number in
                var event = EventText.numbered(number)
                event.extra = """
                    , "position": {"lat": 52, "lon": 13, "accuracy_m": \(accuracy),
                     "quality": "gps", "source": "nmea", "integrity_flags": []}
                    """
                return event.json
            }
        }
        // No accuracy of a position: neither counted nor shown.
        for (first, accuracy) in [(100, 1e300), (200, 100_001), (300, 0), (400, -5)] {
            let answer = fixture.upload(
                events(first..<first + 20, accuracy), batch: "b-\(first)")
            #expect(answer.outcomes.allSatisfy { $0 == "accepted" }, "\(answer.text)")
            #expect(codes(put(fixture, "depot", body(120))) == [], "\(accuracy)")
        }
        #expect(fixture.upload(events(1..<20, 50)).status == 200)
        #expect(codes(put(fixture, "depot", body(121))) == [])
        #expect(fixture.upload(events(20..<31, 50), batch: "c").status == 200)
        // R95 of positions of 50 m (68 %) is 81 m.
        let told = put(fixture, "depot", body(122))
        #expect(codes(told) == ["radius_below_accuracy"])
        #expect(told.first?["detail"]?.string?.contains("twice the 82 m") == true, "\(told)")
        #expect(codes(put(fixture, "depot", body(163))) == [])
        #expect(codes(put(fixture, "other", circle(lat: 53, lon: 13, radius: 122))) == [])
        let other = try fixture.anotherWorkspace()
        let answer = fixture.admin(
            "PUT", "/v1/admin/fences/depot", body(122), key: other.adminKey)
        #expect(answer["warnings"] == .array([]))
    }

    @Test("however many events a fence has, so many accuracies are read at the most")
    func manyAccuracies() throws {
        let fixture = try ServerFixture()
        #expect(codes(put(fixture, "depot", circle(lat: 52, lon: 13, radius: 500))) == [])
        var event = EventText("e-1")
        event.extra = """
            , "position": {"lat": 52, "lon": 13, "accuracy_m": 50, "quality": "gps",
             "source": "nmea", "integrity_flags": []}
            """
        #expect(fixture.upload([event.json]).outcomes == ["accepted"])
        let database = try Connection(path: fixture.store.path)
        try database.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
            INSERT INTO events (workspace, client_event_id, payload_hash, device, epoch, seq,
                boot_id, type, fence_id, received_ms, batch_id, document)
                SELECT e.workspace, 'e-' || i, e.payload_hash, e.device, e.epoch, i, e.boot_id,
                    e.type, e.fence_id, e.received_ms, e.batch_id, e.document FROM n, events e
            """)
        let known = try fixture.store.accuracies(
            atFences: ["depot"], of: fixture.workspace.id)
        #expect(known["depot"]?.count == 1_000)
    }

    @Test("fences that came together and hide all others prove nothing about their axes")
    func hiddenByRequest() throws {
        let fixture = try ServerFixture()
        #expect(codes(put(fixture, "berlin", circle(lat: 52.3, lon: 13.3, radius: 150))) == [])
        // Of the same town as those that come, at its edge.
        #expect(
            codes(put(fixture, "town", circle(lat: 13.9, lon: 52.9, radius: 150)))
                == ["possibly_swapped_axes"])
        let features = (0..<25).map { index in
            """
            {"type": "Feature", "id": "new-\(index)", "properties": {"radius_m": 150},
             "geometry": {"type": "Point", "coordinates": [\(52.3 + Double(index) / 100), 13.3]}}
            """
        }
        let answer = fixture.admin(
            "POST", "/v1/admin/fences.geojson",
            """
            {"type": "FeatureCollection", "features": [\(features.joined(separator: ","))]}
            """)
        #expect(answer["warnings"] == .array([]), "\(answer.text)")
    }

    @Test("overlaps are worked out within one effort for a request, and then not told")
    func effort() throws {
        let fixture = try ServerFixture()
        #expect(codes(put(fixture, "a", box(0, 0, 10, 10))) == [])
        let text = String(box(5, 5, 15, 15).dropLast()) + #", "id": "b"}"#
        let wire = try WireCoding.decode(WireFence.self, from: Array(text.utf8))
        let draft = FenceDraft(
            id: "b", shape: try PreparedShape(try wire.fence().shape), expiresAt: nil,
            wire: FenceWireForm(wire))
        var whole = FenceOverlaps(
            store: fixture.store, workspace: fixture.workspace.id)
        #expect(try whole.warning(about: draft)?.code == "overlap")
        for limit in [0, 100, 500] {
            var some = FenceOverlaps(
                store: fixture.store, workspace: fixture.workspace.id,
                effort: OverlapEffort(limit: limit))
            #expect(try some.warning(about: draft) == nil)
            #expect(some.effort.isUsedUp)
        }
    }

    @Test("names of features that are none of a fence's are told once each, with their place")
    func foreignNames() throws {
        let fixture = try ServerFixture()
        func feature(_ id: String, _ properties: String, _ more: String = "") -> String {
            """
            {"type": "Feature", "id": "\(id)", "bbox": [0, 0, 1, 1],
             "properties": {"radius_m": 150\(properties)},
             "geometry": {"type": "Point", "coordinates": [13.\(id.utf8.first ?? 0), 52]}\(more)}
            """
        }
        let answer = fixture.admin(
            "PUT", "/v1/admin/fences.geojson",
            """
            {"type": "FeatureCollection", "features": [
             \(feature("a", ", \"name\": \"A\", \"dwel_s\": 600")),
             \(feature("b", ", \"stroke/width\": 2, \"dwel_s\": 700", ", \"title\": \"B\""))]}
            """)
        #expect(answer.status == 200, "\(answer.text)")
        let warnings = answer["warnings"]?.array ?? []
        #expect(codes(warnings) == ["unknown_property", "unknown_property", "unknown_property"])
        #expect(
            warnings.compactMap { $0["pointer"]?.string } == [
                "/features/0/properties/dwel_s", "/features/1/properties/stroke~1width",
                "/features/1/title",
            ])
        #expect(warnings.compactMap { $0["fence_id"]?.string } == ["a", "b", "b"])
        let detail = warnings.first?["detail"]?.string ?? ""
        #expect(detail.hasPrefix("'dwel_s'") && detail.hasSuffix("in 1 more features"))
        #expect(fixture.admin("GET", "/v1/admin/fences/a")["dwell_s"]?.number == 300)
        // What is exported has no foreign names.
        let exported = fixture.admin("GET", "/v1/admin/fences.geojson").text
        let again = fixture.admin("PUT", "/v1/admin/fences.geojson", exported)
        #expect(again["warnings"] == .array([]), "\(again.text)")
    }

    @Test("no more than 100 foreign names are told, however many there are")
    func manyForeignNames() throws {
        let properties = (0..<1_000).map { "\"n\($0)\": 1" }.joined(separator: ",")
        let answer = try ServerFixture().admin(
            "PUT", "/v1/admin/fences.geojson",
            """
            {"type": "FeatureCollection", "features": [{"type": "Feature", "id": "a",
             "properties": {"radius_m": 150, \(properties)},
             "geometry": {"type": "Point", "coordinates": [13, 52]}}]}
            """)
        #expect(answer["warnings"]?.array?.count == 100)
    }
}
