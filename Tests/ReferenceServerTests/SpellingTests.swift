import Foundation
import SQLite
import Testing
import WireFormat

@testable import ReferenceServer

/// Swift takes "é" and "e" with an accent for equal, SQLite and the wire do not.
@Suite("One text in two spellings of Unicode")
struct SpellingTests {
    private let composed = "caf\u{E9}"
    private let decomposed = "cafe\u{301}"

    private func collection(_ ids: String...) -> String {
        let features = ids.map {
            """
            {"type": "Feature", "id": "\($0)", "properties": {"radius_m": 150},
             "geometry": {"type": "Point", "coordinates": [13.4, 52.5]}}
            """
        }
        return
            "{\"type\": \"FeatureCollection\", \"features\": [\(features.joined(separator: ","))]}"
    }

    private func bytes(_ text: String?) -> [UInt8] { Array((text ?? "").utf8) }

    @Test("equal only where the bytes are")
    func exactText() {
        #expect(composed == decomposed)
        #expect(ExactText(composed) != ExactText(decomposed))
        #expect(ExactText(composed) == ExactText("caf" + "\u{E9}"))
        #expect(
            ExactText.unique([composed, decomposed, composed]).map(bytes)
                == [bytes(composed), bytes(decomposed)])
        #expect(ExactText.otherSpelling(of: [composed], among: ["a", composed]) == nil)
        #expect(
            bytes(ExactText.otherSpelling(of: [composed], among: ["a", decomposed]))
                == bytes(decomposed))
    }

    @Test("replacing all fences replaces one of another spelling")
    func replace() throws {
        let fixture = try ServerFixture()
        let path = "/v1/admin/fences.geojson"
        #expect(fixture.admin("PUT", path, collection(decomposed)).status == 200)
        let answer = fixture.admin("PUT", path, collection(composed))
        #expect(answer["total"]?.number == 1, "\(answer.text)")
        let deleted = answer["deleted"]?.array ?? []
        #expect(deleted.map { bytes($0.string) } == [bytes(decomposed)])
        let listed = fixture.admin("GET", "/v1/admin/fences")["fences"]?.array ?? []
        #expect(listed.map { bytes($0["id"]?.string) } == [bytes(composed)])
    }

    @Test("a fence beside one of another spelling is refused: to a device they are one")
    func beside() throws {
        let fixture = try ServerFixture()
        let path = "/v1/admin/fences.geojson"
        #expect(fixture.admin("PUT", path, collection(decomposed, "k")).status == 200)
        #expect(fixture.admin("POST", path, collection(composed)).status == 409)
        #expect(fixture.admin("POST", path, collection(decomposed)).status == 200)
        let both = fixture.admin("PUT", path, collection(composed, decomposed))
        #expect(both.status == 422 && both.code == "duplicate_id")
        // The sign of Kelvin: another K.
        #expect(fixture.admin("POST", path, collection("\u{212A}")).status == 422)
    }

    @Test("the id of a body has the spelling of the path's")
    func pathAndBody() throws {
        let fixture = try ServerFixture()
        let fence = """
            {"id": "\(decomposed)", "type": "circle", "radius_m": 150,
             "center": {"lat": 52, "lon": 13}}
            """
        let answer = fixture.admin("PUT", "/v1/admin/fences/caf%C3%A9", fence)
        #expect(answer.status == 422, "\(answer.text)")
        #expect(fixture.admin("PUT", "/v1/admin/fences/cafe%CC%81", fence).status == 201)
        #expect(fixture.admin("GET", "/v1/admin/fences/cafe%CC%81").status == 200)
        let campaign = "{\"id\": \"\(decomposed)\", \"trigger\": \"enter\", \"title\": \"T\"}"
        #expect(fixture.admin("PUT", "/v1/admin/campaigns/caf%C3%A9", campaign).status == 422)
        #expect(fixture.admin("PUT", "/v1/admin/campaigns/cafe%CC%81", campaign).status == 201)
        let other = "{\"trigger\": \"enter\", \"title\": \"T\"}"
        #expect(fixture.admin("PUT", "/v1/admin/campaigns/caf%C3%A9", other).status == 409)
    }

    @Test("two tags of a device are two, and a fence for either is found")
    func tags() throws {
        let fixture = try ServerFixture()
        _ = fixture.device("POST", "/v1/devices/van-7/heartbeat", "{}")
        for (id, tag) in [("one", composed), ("two", decomposed)] {
            let fence = """
                {"id": "\(id)", "type": "circle", "radius_m": 150,
                 "center": {"lat": 52, "lon": 13}, "audience": {"tags": ["\(tag)"]}}
                """
            #expect(fixture.admin("POST", "/v1/admin/fences", fence).status == 201)
        }
        let put = fixture.admin(
            "PUT", "/v1/admin/devices/van-7", "{\"tags\": [\"\(composed)\", \"\(decomposed)\"]}")
        #expect(put["tags"]?.array?.count == 2)
        let found = fixture.device("GET", "/v1/fences?assigned=me")["fences"]?.array ?? []
        #expect(found.compactMap { $0["id"]?.string } == ["one", "two"])
    }

    @Test("two epochs of one batch are two")
    func epochs() throws {
        let fixture = try ServerFixture()
        var first = EventText("e-1")
        first.epoch = composed
        var second = EventText("e-2")
        second.epoch = decomposed
        #expect(fixture.upload([first.json, second.json]).outcomes == ["accepted", "accepted"])
        let epochs = fixture.admin("GET", "/v1/admin/devices/van-7")["epochs"]?.array ?? []
        #expect(
            Set(epochs.map { bytes($0["queue_epoch"]?.string) })
                == [bytes(composed), bytes(decomposed)])
    }
}
