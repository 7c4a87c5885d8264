import Testing
import WireFormat

@Suite("Numbers in queries and headers")
struct JSONNumberTests {
    @Test(
        "what JSON would not take as a number is none",
        arguments: [
            "", " ", "0x10", "0x1p3", "+5", "inf", "-inf", "nan", "1_000", "01", "1.", ".5", "5 ",
            " 5", "1e", "1e999", "--1", "five", "true", "null", "[1]", "\"1\"", "1,5",
        ])
    func refused(text: String) {
        #expect(JSONNumber.double(text) == nil)
        #expect(JSONNumber.integer(text) == nil)
    }

    @Test(
        "numbers are taken",
        arguments: [("0", 0.0), ("-5", -5), ("52.5", 52.5), ("1e3", 1000), ("-1.5E-2", -0.015)])
    func taken(text: String, value: Double) {
        #expect(JSONNumber.double(text) == value)
    }

    @Test("a whole number has digits alone")
    func whole() {
        #expect(JSONNumber.integer("-12") == -12)
        #expect(JSONNumber.integer("0") == 0)
        for text in ["1.0", "1e3", "9223372036854775808"] {
            #expect(JSONNumber.integer(text) == nil)
        }
    }
}
