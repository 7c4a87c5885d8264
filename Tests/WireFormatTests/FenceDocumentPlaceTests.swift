import Testing
import WireFormat

@Suite("The place of a defect in a document of fences")
struct FenceDocumentPlaceTests {
    static func feature(_ geometry: String, _ properties: String = "{}") -> String {
        #"{"type":"FeatureCollection","features":[{"type":"Feature","id":"ok","geometry":"#
            + #"{"type":"Point","coordinates":[13,52]},"properties":{"radius_m":50}},"#
            + #"{"type":"Feature","id":"x","geometry":\#(geometry),"properties":\#(properties)}]}"#
    }

    static let point = #"{"type":"Point","coordinates":[13,52]}"#
    static let crossing =
        #"{"type":"Polygon","coordinates":[[[13,52],[13.1,52.2],[13.1,52],[13,52.1],[13,52]]]}"#
    static let open =
        #"{"type":"MultiPolygon","coordinates":[[[[13,52],[13.1,52],[13.1,52.1],[13,52.1]]]]}"#

    // Not in the table: Swift 6.0.3 crashes on an interpolation among the arguments of a macro.
    static let single =
        #"{"type":"Feature","id":"a","geometry":\#(crossing),"properties":{}}"#

    @Test(
        "what is broken is named with its pointer, and with its place where it has one",
        arguments: [
            ("", "", "the document is empty"),
            ("{\"type\":\n \"FeatureCollection\",,}", "", "line 2, column 22: a name in quotes"),
            ("{\"fences\": [1", "", "line 1, column 14: ',' or ']' is expected"),
            (#"{"type":"Feature"}"#, "/id", "missing"),
            (#"{"type":"Box"}"#, "/type", "'Box' is not FeatureCollection or Feature"),
            (feature(point), "/features/1/geometry", "a Point needs radius_m"),
            (
                feature(point, #"{"radius_m":5}"#), "/features/1/properties/radius_m",
                "5.0 of fence 'x' is out of"
            ),
            (
                feature(point, #"{"radius_m":"big"}"#), "/features/1/properties/radius_m",
                "not a number"
            ),
            (
                feature(#"{"type":"Point","coordinates":[52,130]}"#, #"{"radius_m":50}"#),
                "/features/1/geometry/coordinates",
                "not on Earth at lon 52.0, lat 130.0"
            ),
            (
                feature(#"{"type":"Point","coordinates":[13]}"#, #"{"radius_m":50}"#),
                "/features/1/geometry/coordinates", "longitude and latitude"
            ),
            (
                feature(
                    #"{"type":"Polygon","coordinates":[[[13,52],[14,152],[13,53],[13,52]]]}"#),
                "/features/1/geometry/coordinates/0/1",
                "not on Earth, longitude comes first, at lon 14.0, lat 152.0"
            ),
            (
                feature(#"{"type":"Polygon","coordinates":[[[13,"x"]]]}"#),
                "/features/1/geometry/coordinates/0/0/1", "not a number"
            ),
            (
                feature(crossing), "/features/1/geometry/coordinates/0",
                "self_intersection of fence 'x' at lon"
            ),
            (
                feature(open, #"{"name":"Gate"}"#), "/features/1/geometry/coordinates/0/0/3",
                "unclosed of fence 'x' (Gate) at lon 13.0, lat 52.1"
            ),
            (
                #"[{"id":"a","type":"square"}]"#, "/0/type", "'square' is not allowed here"
            ),
            (
                #"[{"id":"a","type":"circle","created_at":"today"}]"#, "/0/created_at",
                "'today' is not an RFC 3339 time"
            ),
            (
                feature(#"{"type":"Line","coordinates":[]}"#), "/features/1/geometry/type",
                "'Line' is not Point, Polygon or MultiPolygon"
            ),
            (
                #"[{"id":"a","type":"circle","center":{"lat":1,"lon":2},"radius_m":1}]"#,
                "/0/radius_m", "1.0 of fence 'a' is out of range"
            ),
            (
                #"{"fences":[{"id":"a","type":"circle","center":{"lat":91,"lon":2},"#
                    + #""radius_m":50}]}"#, "/fences/0/center", "not on Earth at lon 2.0, lat 91.0"
            ),
            (single, "/geometry/coordinates/0", "self_intersection"),
            (
                feature(point, #"{"radius_m":50,"quiet_hours":{"start":"22:00","end":"22:00"}}"#),
                "/features/1/properties/quiet_hours/end", "the same as start"
            ),
            (
                feature(point, #"{"radius_m":50,"active_windows":[{"all_day":true},{"days":[]}]}"#),
                "/features/1/properties/active_windows/1/days", "not a list of mon"
            ),
            (
                feature(point, #"{"radius_m":50,"campaigns":[{"id":"c","trigger":"enter"}]}"#),
                "/features/1/properties/campaigns/0/title", "missing"
            ),
        ])
    func broken(text: String, pointer: String, detail: String) {
        do throws(WireError) {
            _ = try FenceDocument.soundFences(from: Array(text.utf8))
            Issue.record("accepted: \(text)")
        } catch {
            #expect(error.pointer.hasPrefix(pointer), "\(error)")
            #expect(pointer.isEmpty == error.pointer.isEmpty, "\(error)")
            #expect(error.placedDetail.contains(detail), "\(error)")
            #expect(!error.description.contains(" at lon"), "\(error)")
        }
    }

    @Test("sound fences of every form are taken")
    func sound() throws {
        let feature = Self.feature(Self.point, #"{"radius_m":10}"#)
        #expect(try FenceDocument.soundFences(from: Array(feature.utf8)).map(\.id) == ["ok", "x"])
        let list = #"[{"id":7,"type":"circle","center":{"lat":1,"lon":2},"radius_m":100}]"#
        #expect(try FenceDocument.soundFences(from: Array(list.utf8)).map(\.id) == ["7"])
    }

    @Test("an id that stands twice is refused at its second place")
    func twice() {
        let text = Self.feature(Self.point, #"{"radius_m":50,"id":"ok"}"#)
            .replacing(#""id":"x""#, with: #""id":"ok""#)
        do throws(WireError) {
            _ = try FenceDocument.fences(from: Array(text.utf8))
            Issue.record("accepted")
        } catch {
            #expect(error.description == "/features/1: id 'ok' stands twice")
        }
    }
}
