import Campaigns
import Geodesy
import Testing
import WireFormat

@Suite("Windows and campaigns on the wire")
struct WindowCheckTests {
    static let windows: [(String, String?)] = [
        (#"{"start":"22:00","end":"06:00"}"#, nil),
        (#"{"days":["mon","sun"],"start":"09:00","end":"17:00"}"#, nil),
        (#"{"all_day":true}"#, nil),
        (#"{"all_day":false,"start":"00:00","end":"23:59"}"#, nil),
        (#"{"days":null,"start":"00:00","end":"23:59"}"#, nil),
        (#"{"start":"09:00","end":"09:00"}"#, "/w/end"),
        (#"{"start":"9:00","end":"10:00"}"#, "/w/start"),
        (#"{"start":"09:00"}"#, "/w/end"),
        (#"{"start":"09:00","end":"24:00"}"#, "/w/end"),
        (#"{"start":"09:60","end":"10:00"}"#, "/w/start"),
        (#"{"start":"+9:00","end":"10:00"}"#, "/w/start"),
        (#"{"days":[],"all_day":true}"#, "/w/days"),
        (#"{"days":["Mon"],"all_day":true}"#, "/w/days"),
        (#"{"days":"mon","all_day":true}"#, "/w/days"),
        (#"[]"#, "/w"), (#""22:00-06:00""#, "/w"),
    ]

    @Test("a window that means nothing is refused with its place", arguments: windows)
    func window(text: String, pointer: String?) throws {
        let value = try WireCoding.decode(JSONValue.self, from: text.utf8)
        let defects = WindowCheck.defects(of: value, at: "/w")
        #expect(defects.map(\.pointer) == (pointer.map { [$0] } ?? []))
    }

    @Test("null is no window")
    func none() throws {
        #expect(try WindowCheck.window(.null, at: "") == nil)
    }

    static let campaigns: [(String, String?)] = [
        (#"{"id":"c","trigger":"enter","title":"Hello"}"#, nil),
        (#"{"id":7,"trigger":"pass","title":"T","data":{"a":[1]},"max_per_day":1}"#, nil),
        (#"{"id":"c","trigger":"enter"}"#, "/campaigns/0/title"),
        (#"{"id":"c","trigger":"leave","title":"T"}"#, "/campaigns/0/trigger"),
        (#"{"id":"","trigger":"enter","title":"T"}"#, "/campaigns/0/id"),
        (#"{"id":"c","trigger":"enter","title":""}"#, "/campaigns/0/title"),
        (#"{"id":"c","trigger":"enter","title":"T","max_per_day":0}"#, "/campaigns/0/max_per_day"),
        (
            #"{"id":"c","trigger":"enter","title":"T","cooldown_hours":-1}"#,
            "/campaigns/0/cooldown_hours"
        ),
        (#"{"id":"c","trigger":"enter","title":"T","data":[]}"#, "/campaigns/0/data"),
        (
            #"{"id":"c","trigger":"enter","title":"T","valid_from":"yesterday"}"#,
            "/campaigns/0/valid_from"
        ),
        (
            #"{"id":"c","trigger":"enter","title":"T","valid_from":"2026-01-02T00:00:00Z","#
                + #""valid_until":"2026-01-02T00:00:00Z"}"#, "/campaigns/0/valid_until"
        ),
        (#""c""#, "/campaigns/0"),
    ]

    @Test("a campaign that cannot be is refused with its place", arguments: campaigns)
    func campaign(text: String, pointer: String?) throws {
        var fence = WireFence(id: "f", type: .circle)
        fence.center = Coordinate(latitude: 1, longitude: 2).map(WireCoordinate.init)
        fence.radiusMeters = 100
        fence.campaigns = [try WireCoding.decode(JSONValue.self, from: text.utf8)]
        #expect(FenceCheck.defects(of: fence).map(\.pointer) == (pointer.map { [$0] } ?? []))
    }
}
