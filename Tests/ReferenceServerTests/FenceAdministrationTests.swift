import Foundation
import SQLite
import Testing
import WireFormat

@testable import ReferenceServer

@Suite("Administration of fences")
struct FenceAdministrationTests {
    private func collection(_ features: String...) -> String {
        "{\"type\": \"FeatureCollection\", \"features\": [\(features.joined(separator: ","))]}"
    }

    private func point(_ id: String, radius: String = "\"radius_m\": 150") -> String {
        """
        {"type": "Feature", "id": "\(id)", "properties": {"name": "N \(id)", \(radius)},
         "geometry": {"type": "Point", "coordinates": [13.4, 52.5]}}
        """
    }

    private func polygon(_ id: String, _ ring: String) -> String {
        """
        {"type": "Feature", "id": "\(id)", "properties": {},
         "geometry": {"type": "Polygon", "coordinates": [\(ring)]}}
        """
    }

    private let square = "[[13,52],[13.01,52],[13.01,52.01],[13,52.01],[13,52]]"

    @Test("PUT replaces, POST merges, and what is unchanged keeps its version")
    func replaceAndMerge() throws {
        let fixture = try ServerFixture()
        let path = "/v1/admin/fences.geojson"
        let first = fixture.admin("PUT", path, collection(point("a"), polygon("b", square)))
        #expect(first["created"] == .array([.string("a"), .string("b")]))
        let merged = fixture.admin(
            "POST", path, collection(point("a", radius: "\"radius\": 200"), point("c")))
        #expect(merged["updated"] == .array([.string("a")]))
        #expect(merged["created"] == .array([.string("c")]))
        #expect(merged["deleted"] == .array([]) && merged["total"]?.number == 3)
        let replaced = fixture.admin(
            "PUT", path, collection(point("a", radius: "\"radius_m\": 200")))
        #expect(replaced["unchanged"] == .array([.string("a")]))
        #expect(replaced["deleted"] == .array([.string("b"), .string("c")]))
        let fence = fixture.admin("GET", "/v1/admin/fences/a")
        #expect(fence["version"]?.number == 2 && fence["radius_m"]?.number == 200)
    }

    @Test("what is exported can be imported and changes nothing")
    func roundTrip() throws {
        let fixture = try ServerFixture()
        let path = "/v1/admin/fences.geojson"
        let multi = """
            {"type": "Feature", "id": 42, "properties": {"name": "Zwei \\"Höfe\\"", "dwell_s": 600,
              "transitions": ["enter", "exit"], "metadata": {"k": [1, null, "x"]},
              "active_windows": [{"days": ["mon"], "start": "22:00", "end": "06:00"}],
              "timezone": "Europe/Berlin", "priority": 3},
             "geometry": {"type": "MultiPolygon", "coordinates":
              [[\(square)], [[[14,52],[14.01,52],[14.01,52.01],[14,52]]]]}}
            """
        let first = fixture.admin(
            "PUT", path, collection(point("a"), polygon("b", square), multi))
        #expect(first.status == 200, "\(first.text)")
        let exported = fixture.admin("GET", path)
        #expect(exported.response.headers["Content-Type"] == "application/geo+json")
        let again = fixture.admin("PUT", path, exported.text)
        #expect(again["unchanged"]?.array?.count == 3, "\(again.text)")
        #expect(fixture.admin("GET", path).text == exported.text)
        let other = try fixture.anotherWorkspace()
        #expect(fixture.admin("PUT", path, exported.text, key: other.adminKey).status == 200)
    }

    @Test("a fence without dwell_s gets 300 s, a polygon its enclosing circle")
    func defaults() throws {
        let fixture = try ServerFixture()
        #expect(
            fixture.admin("PUT", "/v1/admin/fences.geojson", collection(polygon("b", square)))
                .status == 200)
        let fence = fixture.admin("GET", "/v1/admin/fences/b")
        #expect(fence["dwell_s"]?.number == 300 && fence["version"]?.number == 1)
        let radius = try #require(fence["radius_m"]?.number)
        #expect((650.0...660).contains(radius))
        #expect(abs((fence["center", "lat"]?.number ?? 0) - 52.005) < 0.0001)
        #expect(fence["created_at"]?.string == fixture.clock.wallClock.time.rfc3339)
    }

    @Test(
        "a defect is refused with its pointer, and nothing is written",
        arguments: [
            ("self_intersection", "[[0,0],[1,1],[1,0],[0,1],[0,0]]", "/0"),
            ("swapped_axes", "[[52,113],[52,113.1],[52.1,113.1],[52,113]]", "/0/0"),
            ("out_of_range", "[[0,0],[0,200],[200,1],[0,0]]", "/0/1"),
            ("zero_area", "[[0,0],[1,0],[2,0],[0,0]]", "/0/0"),
            ("unclosed", "[[0,0],[1,0],[1,1],[0,1]]", "/0/3"),
            ("too_few_positions", "[[0,0],[1,0],[0,0]]", "/0/0"),
            ("holds_pole", "[[0,80],[90,80],[180,80],[-90,80],[0,80]]", "/0/0"),
            ("too_wide", "[[-100,0],[0,0],[100,0],[0,10],[-100,0]]", "/0/2"),
            (
                "hole_outside",
                "[[0,0],[1,0],[1,1],[0,1],[0,0]],[[2,0],[3,0],[3,1],[2,0]]", "/1/0"
            ),
            (
                "self_intersection",
                "[[0,0],[1,0],[1,1],[0,1],[0,0]],[[0.5,0.5],[1.5,0.5],[0.7,0.7],[0.5,0.5]]", "/"
            ),
            (
                "zero_area",
                "[[0,0],[1,0],[1,1],[0,1],[0,0]],[[0.2,0.2],[0.3,0.2],[0.4,0.2],[0.2,0.2]]", "/1/0"
            ),
        ])
    func defects(code: String, ring: String, place: String) throws {
        let fixture = try ServerFixture()
        let answer = fixture.admin(
            "POST", "/v1/admin/fences.geojson", collection(point("a"), polygon("b", ring)))
        #expect(answer.status == 422)
        let errors = answer["errors"]?.array ?? []
        let found = errors.first { $0["code"]?.string == code }
        #expect(found != nil, "\(answer.text)")
        let pointer = found?["pointer"]?.string ?? ""
        #expect(pointer.hasPrefix("/features/1/geometry/coordinates\(place)"), "\(pointer)")
        #expect(found?["lat"]?.number != nil && found?["lon"]?.number != nil)
        #expect(fixture.admin("GET", "/v1/admin/fences")["fences"]?.array?.isEmpty == true)
    }

    @Test(
        "a member out of range is refused where it stands",
        arguments: [
            ("\"radius_m\": 9", "/properties/radius_m"), ("\"name\": 5", "/properties/name"),
            ("\"name\": \"x\"", "/properties/radius_m"),
            ("\"radius_m\": 50, \"dwell_s\": 0", "/properties/dwell_s"),
            ("\"radius_m\": 50, \"transitions\": [\"fly\"]", "/properties/transitions/0"),
            ("\"radius_m\": 50, \"arrival\": \"late\"", "/properties/arrival"),
            ("\"radius_m\": 50, \"expires_at\": \"soon\"", "/properties/expires_at"),
            ("\"radius_m\": 50, \"timezone\": \"Europe/Atlantis\"", "/properties/timezone"),
            ("\"radius_m\": 50, \"timezone\": \"../../etc/passwd\"", "/properties/timezone"),
            ("\"radius_m\": 50, \"timezone\": \"\"", "/properties/timezone"),
            ("\"radius_m\": 50, \"cooldown_hours\": -1", "/properties/cooldown_hours"),
            ("\"radius_m\": 50.5, \"priority\": 1.5", "/properties/priority"),
            ("\"radius_m\": 1e2, \"priority\": 99999999999999999999", "/properties/priority"),
            ("\"radius_m\": 50, \"priority\": \"1\"", "/properties/priority"),
            ("\"radius_m\": 50, \"priority\": 1001", "/properties/priority"),
            (
                "\"radius_m\": 50, \"active_windows\": [{\"start\": \"08:00\", \"end\": \"08:00\"}]",
                "/properties/active_windows/0/end"
            ),
            (
                "\"radius_m\": 50, \"quiet_hours\": {\"days\": [], \"all_day\": true}",
                "/properties/quiet_hours/days"
            ),
            (
                "\"radius_m\": 50, \"quiet_hours\": {\"start\": \"24:00\", \"end\": \"08:00\"}",
                "/properties/quiet_hours/start"
            ),
        ])
    func members(properties: String, pointer: String) throws {
        let feature = """
            {"type": "Feature", "id": "a", "properties": {\(properties)},
             "geometry": {"type": "Point", "coordinates": [13, 52]}}
            """
        let answer = try ServerFixture().admin(
            "PUT", "/v1/admin/fences.geojson", collection(feature))
        #expect(answer.status == 422)
        #expect(
            answer["errors"]?.array?.first?["pointer"]?.string == "/features/0\(pointer)",
            "\(answer.text)")
    }

    private static let manyVertices =
        "[["
        + (0..<10_001).map { "[\(Double($0) / 1e5),\($0 % 2)]" }.joined(separator: ",")
        + ",[0,0]]]"

    @Test(
        "a shape that has no single place of its defect is refused as a whole",
        arguments: [
            ("too_many_vertices", "polygon", manyVertices, "/geometry/coordinates"),
            ("too_large", "polygon", "[[[0,0],[5,0],[5,1],[0,1],[0,0]]]", "/geometry/coordinates"),
            ("empty", "polygon", "[]", "/geometry/coordinates"),
            ("invalid_value", "multipolygon", "[]", "/geometry/coordinates"),
            (
                "unclosed", "multipolygon",
                "[[[[0,0],[1,0],[1,1],[0,0]]],[[[2,0],[3,0],[3,1],[2,1]]]]",
                "/geometry/coordinates/1/0/3"
            ),
        ])
    func wholeShapes(code: String, type: String, coordinates: String, pointer: String) throws {
        let geometry = type == "polygon" ? "Polygon" : "MultiPolygon"
        let answer = try ServerFixture().admin(
            "PUT", "/v1/admin/fences/a",
            """
            {"type": "\(type)",
             "geometry": {"type": "\(geometry)", "coordinates": \(coordinates)}}
            """)
        #expect(answer.status == 422)
        let found = (answer["errors"]?.array ?? []).first { $0["code"]?.string == code }
        #expect(found?["pointer"]?.string == pointer, "\(answer.text.prefix(500))")
    }

    @Test(
        "a circle's radius has a range, with the place of the circle",
        arguments: [("9.99", 422), ("10", 201), ("100000", 201), ("100000.1", 422), ("-5", 422)])
    func radii(radius: String, status: Int) throws {
        let answer = try ServerFixture().admin(
            "PUT", "/v1/admin/fences/a",
            "{\"type\": \"circle\", \"center\": {\"lat\": 52, \"lon\": 13}, \"radius_m\": \(radius)}"
        )
        #expect(answer.status == status)
        guard status == 422 else { return }
        let found = answer["errors"]?.array?.first
        #expect(found?["code"]?.string == "radius_out_of_range")
        #expect(found?["pointer"]?.string == "/radius_m")
        #expect(found?["lat"]?.number == 52 && found?["lon"]?.number == 13)
    }

    @Test("an overlap and axes that look exchanged are told, and stop nothing")
    func surroundings() throws {
        let fixture = try ServerFixture()
        func warnings(_ id: String, _ lat: Double, _ lon: Double, _ radius: Double) -> [String] {
            let answer = fixture.admin(
                "PUT", "/v1/admin/fences/\(id)", circle(lat: lat, lon: lon, radius: radius))
            #expect(answer.status < 300)
            return (answer["warnings"]?.array ?? []).compactMap { $0["code"]?.string }
        }
        #expect(warnings("a", 52, 13, 150).isEmpty)
        #expect(warnings("a", 52, 13, 160).isEmpty)
        // 334 m to the north: the circles touch from 174 m on.
        #expect(warnings("b", 52.003, 13, 150).isEmpty)
        #expect(warnings("b", 52.003, 13, 200) == ["overlap"])
        #expect(warnings("c", 13.1, 52.1, 150) == ["possibly_swapped_axes"])
        #expect(warnings("d", 48, 11, 150).isEmpty)
        let imported = fixture.admin(
            "POST", "/v1/admin/fences.geojson", collection(point("e"), point("f")))
        #expect(
            imported["warnings"]?.array?.compactMap { $0["code"]?.string } == [
                "overlap", "overlap",
            ])
    }

    @Test("a warning that cannot be worked out fails no fence that was written")
    func unknownSurroundings() throws {
        let fixture = try ServerFixture()
        var reading = FenceReading(zones: fixture.store.zones)
        reading.read(
            Array(
                """
                {"id": "a", "type": "circle", "center": {"lat": 52, "lon": 13}, "radius_m": 150}
                """.utf8)
        ) { $0 }
        let drafts = try reading.checked()
        #expect(
            fixture.admin("PUT", "/v1/admin/fences/b", circle(lat: 52, lon: 13, radius: 150)).status
                == 201)
        func warnings() -> [FenceReading.Warning] {
            FenceSurroundings(store: fixture.store, workspace: fixture.workspace.id)
                .warnings(about: drafts)
        }
        #expect(warnings().map(\.code) == ["overlap"])
        let database = try Connection(path: fixture.directory.file("server.db"))
        try database.run("ALTER TABLE fences RENAME TO gone")
        try database.run("ALTER TABLE fence_changes RENAME TO gone_changes")
        #expect(
            throws: StoreError.self,
            performing: {
                _ = try fixture.store.fences(of: fixture.workspace.id, after: nil, limit: 1)
            })
        #expect(warnings().isEmpty)
    }

    @Test("an id stands once, and a feature has one")
    func ids() throws {
        let fixture = try ServerFixture()
        let path = "/v1/admin/fences.geojson"
        let twice = fixture.admin("PUT", path, collection(point("a"), point("a")))
        #expect(twice.status == 422 && twice.code == "duplicate_id")
        let empty = fixture.admin("PUT", path, collection(point("")))
        #expect(empty.status == 422)
        #expect(fixture.admin("PUT", path, "{\"type\": \"Feature\"}").status == 422)
    }

    @Test("one fence is made, changed, read and deleted in wire form")
    func single() throws {
        let fixture = try ServerFixture()
        let body = circle(lat: 52, lon: 13, radius: 60)
        let made = fixture.admin("POST", "/v1/admin/fences", body)
        #expect(made.status == 201)
        let id = try #require(made["fence", "id"]?.string)
        #expect(made["warnings"]?.array?.first?["code"]?.string == "small_radius")
        let path = "/v1/admin/fences/\(id)"
        #expect(fixture.admin("PUT", path, body).status == 200)
        #expect(fixture.admin("GET", path)["version"]?.number == 1)
        #expect(
            fixture.admin("PUT", path, circle(lat: 52, lon: 13, radius: 70))["fence", "version"]?
                .number == 2)
        let other = String(body.dropLast()) + ", \"id\": \"x\"}"
        #expect(fixture.admin("PUT", path, other).status == 422)
        #expect(fixture.admin("POST", "/v1/admin/fences", other).status == 201)
        #expect(fixture.admin("POST", "/v1/admin/fences", other).status == 409)
        #expect(fixture.admin("DELETE", path).status == 204)
        #expect(fixture.admin("DELETE", path).status == 404)
        #expect(fixture.admin("GET", path).status == 404)
    }

    @Test("type and geometry must not contradict each other")
    func contradiction() throws {
        let ring = "[[13,52],[13.01,52],[13.01,52.01],[13,52]]"
        let rows = [
            ("circle", "Polygon", "[\(ring)]", 422), ("circle", "Point", "[13,52]", 422),
            ("polygon", "MultiPolygon", "[[\(ring)]]", 422),
            ("multipolygon", "Polygon", "[\(ring)]", 422), ("polygon", "Polygon", "[\(ring)]", 201),
        ]
        let fixture = try ServerFixture()
        for (index, (type, geometry, coordinates, status)) in rows.enumerated() {
            let answer = fixture.admin(
                "PUT", "/v1/admin/fences/f\(index)",
                """
                {"type": "\(type)", "center": {"lat": 52, "lon": 13}, "radius_m": 100,
                 "geometry": {"type": "\(geometry)", "coordinates": \(coordinates)}}
                """)
            #expect(answer.status == status, "\(type) \(geometry)")
        }
    }

    @Test("an id with a slash and an umlaut is reached percent-encoded")
    func oddID() throws {
        let fixture = try ServerFixture()
        #expect(
            fixture.admin("PUT", "/v1/admin/fences/a%2F%C3%BC", circle(lat: 1, lon: 1, radius: 100))
                .status == 201)
        #expect(
            fixture.admin("GET", "/v1/admin/fences")["fences"]?.array?.first?["id"]?.string == "a/ü"
        )
        #expect(fixture.admin("DELETE", "/v1/admin/fences/a%2F%C3%BC").status == 204)
    }

    @Test("fences beyond the workspace's limit are refused as a whole")
    func limit() throws {
        let fixture = try ServerFixture(
            limits: WorkspaceLimits(fences: 2, keys: 25, devices: nil, eventsPerMonth: nil))
        let path = "/v1/admin/fences.geojson"
        #expect(fixture.admin("PUT", path, collection(point("a"), point("b"))).status == 200)
        let refused = fixture.admin("POST", path, collection(point("c")))
        #expect(refused.status == 422 && refused.code == "fence_limit")
        #expect(fixture.admin("GET", "/v1/admin/fences")["fences"]?.array?.count == 2)
        #expect(fixture.admin("PUT", path, collection(point("c"))).status == 200)
    }

    @Test("the list of fences has pages in order of id")
    func pages() throws {
        let fixture = try ServerFixture()
        for id in ["c", "a", "b"] {
            #expect(
                fixture.admin(
                    "PUT", "/v1/admin/fences/\(id)", circle(lat: 1, lon: 1, radius: 100)
                ).status == 201)
        }
        let first = fixture.admin("GET", "/v1/admin/fences?limit=2")
        #expect(first["fences"]?.array?.compactMap { $0["id"]?.string } == ["a", "b"])
        #expect(first["next"]?.string == "b")
        let second = fixture.admin("GET", "/v1/admin/fences?limit=2&cursor=b")
        #expect(second["fences"]?.array?.compactMap { $0["id"]?.string } == ["c"])
        #expect(second["next"] == .null)
    }

    @Test("the configuration has defaults, a revision, and refuses what it does not know")
    func configuration() throws {
        let fixture = try ServerFixture()
        let initial = fixture.device("GET", "/v1/config")
        #expect(initial["revision"]?.number == 0 && initial["fence_limit"]?.number == 18)
        #expect(initial["upload", "max_batch"]?.number == 200)
        let put = fixture.admin(
            "PUT", "/v1/admin/config", "{\"refresh_after_m\": 500, \"upload\": {\"max_batch\": 50}}"
        )
        #expect(put["revision"]?.number == 1 && put["refresh_after_m"]?.number == 500)
        let now = fixture.device("GET", "/v1/config")
        #expect(now["upload", "max_batch"]?.number == 50)
        #expect(now["upload", "interval_s"]?.number == 60)
        let same = fixture.admin(
            "PUT", "/v1/admin/config", "{\"upload\": {\"max_batch\": 50}, \"refresh_after_m\": 500}"
        )
        #expect(same["revision"]?.number == 1)
        #expect(now["upload", "backoff_cap_s"]?.number == nil, "300 s by default")
        _ = fixture.admin("PUT", "/v1/admin/config", "{\"upload\": {\"backoff_cap_s\": 900}}")
        #expect(fixture.device("GET", "/v1/config")["upload", "backoff_cap_s"]?.number == 900)
        for (body, pointer) in [
            ("{\"upload\": {\"backoff_cap_s\": 901}}", "/upload/backoff_cap_s"),
            ("{\"fence_limits\": 3}", "/fence_limits"), ("{\"fence_limit\": 19}", "/fence_limit"),
            ("{\"refresh_after_m\": 49}", "/refresh_after_m"),
            (
                "{\"quiet_hours\": {\"start\": \"08:00\", \"end\": \"08:00\"}}",
                "/quiet_hours/end"
            ),
            ("{\"upload\": {\"max_batch\": \"many\"}}", "/upload/max_batch"),
        ] {
            let answer = fixture.admin("PUT", "/v1/admin/config", body)
            #expect(answer.status == 422)
            #expect(answer["errors"]?.array?.first?["pointer"]?.string == pointer)
        }
    }
}
