import Testing

@testable import WireFormat

@Suite("Numbers that are not whole")
struct WholeNumberTests {
    @Test(
        "a fraction where a whole number has to stand is refused by its pointer",
        arguments: [
            ("{\"id\": \"a\", \"type\": \"circle\", \"priority\": 1.5}", "/priority"),
            (
                "{\"id\": \"a\", \"type\": \"circle\", \"dwell_s\": 1.5, \"priority\": 1.5}",
                "/priority"
            ),
            (
                "{\"priority\": 1.5, \"id\": \"a\", \"type\": \"circle\", \"dwell_s\": 1.5}",
                "/priority"
            ),
            (
                "{\"id\": \"a\", \"type\": \"circle\", \"priority\": 123456789012345678901}",
                "/priority"
            ),
            (
                "{\"id\": \"a\", \"type\": \"circle\", \"version\": 0.5, \"priority\": 0.5}",
                "/priority /version"
            ),
        ])
    func fence(text: String, pointers: String) {
        let error = refusal(WireFence.self, text)
        // Which of two is named first is the decoder's choice.
        #expect(pointers.split(separator: " ").map(String.init).contains(error?.pointer ?? "none"))
        #expect(error?.detail.contains("not a whole number") == true)
    }

    @Test("the number is found in lists and objects, and among many that are right")
    func nested() {
        struct Room: Decodable {
            struct Seat: Decodable {
                var row: Int
                var height: Double
            }
            var seats: [Seat]
        }
        let seats = (0..<300).map { "{\"row\": \($0 == 217 ? "2.5" : "\($0)"), \"height\": 2.5}" }
        let error = refusal(Room.self, "{\"seats\": [\(seats.joined(separator: ","))]}")
        #expect(error?.pointer == "/seats/217/row")
        #expect(error?.detail == "2.5 is not a whole number that is allowed here")
    }

    @Test("what is wrong otherwise is told as before")
    func others() {
        #expect(
            refusal(WireFence.self, "{\"id\": \"a\", \"type\": \"circle\", \"priority\": true}")?
                .pointer
                == "/priority")
        #expect(refusal(WireFence.self, "{\"id\": \"a\", \"type\": 1.5}")?.pointer == "/type")
        #expect(
            refusal(WireFence.self, "{\"id\": \"a\", 1.5}")?.detail.hasPrefix("not JSON") == true)
    }

    private func refusal(_ type: (some Decodable).Type, _ text: String) -> WireError? {
        do {
            _ = try WireCoding.decode(type, from: text.utf8)
            return nil
        } catch {
            return error
        }
    }
}
