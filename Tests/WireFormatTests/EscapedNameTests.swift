import Testing

@testable import WireFormat

@Suite("Names of members that are written with escapes")
struct EscapedNameTests {
    @Test(
        "two names of one content are refused, however they are written",
        arguments: [
            #"{"seq": 5, "\u0073eq": 6}"#, #"{"\u0073eq": 6, "seq": 5}"#,
            #"{"\u0073eq": 6, "s\u0065q": 5}"#, #"[1, {"a": {"b/": 1, "b\/": 2}}]"#,
            #"{"\ud83d\ude00": 1, "😀": 2}"#, #"{"é": 1, "x": {}, "\u00e9": []}"#,
        ])
    func twice(text: String) {
        #expect(throws: JSONSyntaxError.self) { try JSONDocument(Array(text.utf8)) }
    }

    @Test(
        "names that differ are taken",
        arguments: [
            #"{"seq": 5, "\u0074eq": 6}"#, #"{"\u0073eq": {"seq": {"seq": 1}}, "x": "seq"}"#,
            #"[{"\u0073eq": 1}, {"seq": 2}]"#, #"{"a\nb": 1, "anb": 2, "a": ["a", "\u0061"]}"#,
        ])
    func once(text: String) throws {
        _ = try JSONDocument(Array(text.utf8))
    }

    @Test("the refusal says where the second one is")
    func place() {
        let text = #"{"seq": 5, "\u0073eq": 6}"#
        var description = ""
        do { _ = try JSONDocument(Array(text.utf8)) } catch { description = "\(error)" }
        #expect(description.hasSuffix("column 12: a name that this object already has"))
    }
}
