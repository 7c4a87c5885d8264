import Foundation
import TestSupport
import Testing

@testable import WireFormat

/// What recordings, queues and servers of earlier versions hold was written and read by Foundation's
/// coders: ours write the same bytes and read the same values.
@Suite("JSON of any value")
struct WireCodingTests {
    struct Sample: Codable, Hashable {
        enum Kind: String, Codable { case enter, exit }
        var flag: Bool
        var whole: Int
        var small: UInt8
        var large: UInt64
        var number: Double
        var text: String
        var kind: Kind
        var absent: Int?
        var list: [Double]
        var nested: [[String]]
        var table: [String: JSONValue]
        var children: [Sample]
    }

    struct Nothing: Encodable {
        func encode(to encoder: any Encoder) {}
    }

    private func foundation(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func ours(_ value: some Encodable) throws -> String {
        String(decoding: try WireCoding.encode(value), as: UTF8.self)
    }

    @Test("random values have the bytes that Foundation writes, and come back")
    func randomValues() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let value = sample(depth: 2, &generator)
            let text = try ours(value)
            let expected = try foundation(value)
            #expect(text == expected)
            let back = try WireCoding.decode(Sample.self, from: text.utf8)
            #expect(back == value)
            let known = try JSONDecoder().decode(Sample.self, from: Data(text.utf8))
            #expect(back == known)
        }
    }

    @Test(
        "numbers are written as Foundation writes them",
        arguments: [
            0, -0.0, 1, -1, 0.1, 100, 1e15, 1e16, 1e20, 1e100, 1e-5, 0.0001, 123_456_789.25,
            9_007_199_254_740_992, .greatestFiniteMagnitude, .leastNormalMagnitude, .pi,
        ])
    func numbers(value: Double) throws {
        #expect(try ours(value) == foundation(value))
        #expect(try WireCoding.decode(Double.self, from: ours(value).utf8) == value)
    }

    @Test(
        "strings are written as Foundation writes them",
        arguments: [
            "", "a", "\"\\/", "\u{0}\u{1}\u{7}\u{8}\u{9}\u{A}\u{B}\u{C}\u{D}\u{1B}\u{1F}\u{7F}",
            "Köln 日本 😀", "e\u{301}", "\u{2028}\u{FEFF}",
        ])
    func strings(value: String) throws {
        #expect(try ours([value: value]) == foundation([value: value]))
        #expect(
            try WireCoding.decode([String: String].self, from: ours([value: value]).utf8)
                == [value: value])
    }

    @Test("names are in the order of their characters")
    func order() throws {
        let names = [
            "b", "a", "A", "é", "e", "a10", "a2", "_x", "ä", "日本", "\u{1F600}", "\u{E000}",
        ]
        let table = Dictionary(uniqueKeysWithValues: names.map { ($0, 1) })
        #expect(try ours(table) == foundation(table))
    }

    @Test("what JSON cannot say is an error")
    func impossible() {
        #expect(throws: EncodingError.self) { try WireCoding.encode([Double.nan]) }
        #expect(throws: EncodingError.self) { try WireCoding.encode(["a": -Double.infinity]) }
        #expect(throws: EncodingError.self) { try WireCoding.encode(Nothing()) }
    }

    @Test("empty values, absent ones and members that are written twice")
    func corners() throws {
        #expect(try ours([String: Int]()) == "{}")
        #expect(try ours([Int]()) == "[]")
        #expect(try ours(Int?.none) == "null")
        #expect(try ours(["a": Nothing()]) == #"{"a":{}}"#)
        #expect(try ours([1: "a", 2: "b"]) == #"{"1":"a","2":"b"}"#)
    }

    @Test(
        "whole numbers are taken however they are spelled",
        arguments: [
            ("5.0", 5), ("1e3", 1_000), ("-0", 0), ("9223372036854775807", Int.max),
            ("-9223372036854775808", Int.min), ("1.0000000000000001", 1), (" 7\n", 7),
            ("\u{FEFF}7", 7),
        ] as [(String, Int)])
    func whole(text: String, expected: Int) throws {
        #expect(try WireCoding.decode(Int.self, from: text.utf8) == expected)
    }

    @Test(
        "what is not a whole number is refused, with why",
        arguments: [
            ("5.5", "5.5 is not a whole number that is allowed here"),
            ("\"5\"", "not a whole number"),
            ("true", "not a whole number"), ("[]", "not a whole number"),
            ("null", "must not be null"),
            ("1e30", "1e30 is not a whole number that is allowed here"),
            (
                "-9223372036854775809",
                "-9223372036854775809 is not a whole number that is allowed here"
            ),
            ("9007199254740993.0", "9007199254740993.0 is not a whole number that is allowed here"),
            (
                "9223372036854775808",
                "9223372036854775808 is not a whole number that is allowed here"
            ),
            ("1e999", "not JSON: line 1, column 1: a number that is too large"),
            ("05", "not JSON: line 1, column 2: text after the end of the value"),
            ("", "not JSON: line 1, column 1: the text ends where a value is expected"),
        ])
    func notWhole(text: String, detail: String) throws {
        let error = try refusal(of: text, as: Int.self)
        #expect(error == WireError(pointer: "", detail: detail))
    }

    @Test(
        "a defect is told with its place",
        arguments: [
            (#"{"flag":1}"#, "/flag: not a boolean"), (#"{}"#, "/flag: missing"),
            (#"{"flag":null}"#, "/flag: must not be null"),
            (
                #"{"flag":true,"whole":300,"small":300}"#,
                "/small: 300 is not a whole number that is allowed here"
            ),
            (
                #"{"flag":true,"whole":1.5}"#,
                "/whole: 1.5 is not a whole number that is allowed here"
            ),
            (
                #"{"flag":true,"whole":1,"small":1,"large":1,"number":1,"text":"\ud800"}"#,
                "/text: '\u{FFFD}' is not allowed here"
            ),
            (
                #"{"flag":true,"whole":1,"small":1,"large":1,"number":1,"text":"","kind":"turn"}"#,
                "/kind: 'turn' is not allowed here"
            ),
            (
                #"{"flag":true,"whole":1,"small":1,"large":1,"number":1,"text":"","kind":"exit","#
                    + #""list":[1,null]}"#, "/list/1: must not be null"
            ),
            (
                #"{"flag":true,"flag":true}"#,
                "not JSON: line 1, column 14: "
                    + "a name that this object already has"
            ),
        ])
    func places(text: String, description: String) throws {
        let error = try refusal(of: text, as: Sample.self)
        #expect(error.description == description)
    }

    @Test("an escape pair is one character, and escaped names are found")
    func escapes() throws {
        let text = #"{"\u0061\n":"\ud83d\ude00\/"}"#
        #expect(
            try WireCoding.decode([String: String].self, from: text.utf8) == ["a\n": "😀/"])
        #expect(try JSONDocument(Array(text.utf8)).root.member("a\n")?.string == "😀/")
    }

    private func refusal<Value: Decodable>(
        of text: String, as type: Value.Type
    ) throws -> WireError {
        do throws(WireError) {
            _ = try WireCoding.decode(type, from: text.utf8)
        } catch {
            return error
        }
        throw CancellationError()
    }

    private func sample(depth: Int, _ generator: inout SeededGenerator) -> Sample {
        Sample(
            flag: .random(using: &generator), whole: .random(in: .min ... .max, using: &generator),
            small: .random(in: .min ... .max, using: &generator),
            large: .random(in: .min ... .max, using: &generator), number: number(&generator),
            text: text(&generator), kind: .random(using: &generator) ? .enter : .exit,
            absent: .random(using: &generator) ? 3 : nil,
            list: (0..<3).map { _ in number(&generator) },
            nested: [[], [text(&generator)]],
            table: [
                text(&generator): .number(number(&generator)), "null": .null, "yes": .bool(true),
                "list": .array([.string(text(&generator)), .object([:]), .array([])]),
            ],
            children: depth == 0
                ? []
                : (0..<Int.random(in: 0...2, using: &generator)).map { _ in
                    sample(depth: depth - 1, &generator)
                })
    }

    /// Any finite Double, or one with few digits.
    private func number(_ generator: inout SeededGenerator) -> Double {
        let any = Double(bitPattern: generator.next())
        if any.isFinite, Bool.random(using: &generator) { return any }
        return Double(Int.random(in: -1_000_000...1_000_000, using: &generator)) / 1_000
    }

    private func text(_ generator: inout SeededGenerator) -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "B", "\"", "\\", "/", "\u{8}", "\n", "\u{1}", "é", "日", "😀", "\u{7F}", " ",
        ]
        return (0..<Int.random(in: 0...20, using: &generator)).reduce(into: "") { text, _ in
            text.unicodeScalars.append(scalars.randomElement(using: &generator) ?? "a")
        }
    }
}
