import Foundation
import TestSupport
import Testing

@testable import ReferenceServer
@testable import WireFormat

@Suite("JSON documents")
struct JSONDocumentTests {
    @Test(
        "valid texts are taken and have one canonical form",
        arguments: [
            (" {} ", "{}"), ("[]", "[]"), ("null", "null"), ("true", "true"),
            ("[1, 2.50, -0, 1e2, 1E+2, 1.0]", "[1,2.5,0,100,100,1]"),
            ("[9007199254740993, 0.1, 1e-7]", "[9007199254740993,0.1,1e-07]"),
            ("{\"b\": 1, \"a\": null, \"A\": [ ]}", "{\"A\":[],\"b\":1}"),
            ("\"\\u00e9\\ud83d\\ude00\\/\\n\\\"\"", "\"é😀/\\u000a\\\"\""),
            ("{\"\\u0061\": {\"x\": {}}}", "{\"a\":{\"x\":{}}}"),
            ("{\"b\":1,\"\\u0061\":2}", "{\"a\":2,\"b\":1}"),
            (
                "{\"é\":1,\"z\":[{\"y\":null,\"b\":2,\"a\":3}]}",
                "{\"z\":[{\"a\":3,\"b\":2}],\"é\":1}"
            ),
            ("{\"a\":null,\"ab\":1,\"b\":null,\"c\":{\"d\":null}}", "{\"ab\":1,\"c\":{}}"),
            ("[0.0001, 0.00001, 0.10, -0.0, 100.0]", "[0.0001,1e-05,0.1,0,100]"),
        ])
    func canonical(text: String, expected: String) throws {
        let document = try JSONDocument(Array(text.utf8))
        let canonical = document.root.canonical
        #expect(String(decoding: canonical, as: UTF8.self) == expected)
        #expect(try JSONDocument(canonical).root.canonical == canonical)
        #expect(
            (try? JSONSerialization.jsonObject(with: Data(canonical), options: .fragmentsAllowed))
                != nil)
    }

    @Test(
        "everything else is refused at its place",
        arguments: [
            ("", 0), ("{", 1), ("[1,]", 3), ("{\"a\" 1}", 5), ("{\"a\":1,}", 7), ("{a:1}", 1),
            ("01", 1), ("1.", 2), ("-", 1), ("+1", 0), (".5", 0), ("1e", 2), ("1e999", 0),
            ("\"a", 2), ("\"\\x\"", 2), ("\"\\u12g4\"", 5), ("\"\n\"", 1), ("nul", 0),
            ("{} {}", 3), ("[1 2]", 3), ("NaN", 0), ("Infinity", 0), ("{\"a\":1,\"a\":2}", 7),
            ("'a'", 0), ("[\u{feff}]", 1),
            ("{\"a\":{\"a\":1},\"b\":[{\"a\":1}],\"ab\":2,\"b\":0}", 34),
            ("{\"a\":1,\"b\":2,\"a\":3}", 13), ("{\"b\":1,\"a\":2,\"b\":3}", 13),
            ("{\"\":1,\"\":2}", 6), ("{\"c\":1,\"a\":2,\"b\":3,\"a\":4}", 19),
        ])
    func refused(text: String, offset: Int) {
        do {
            _ = try JSONDocument(Array(text.utf8))
            Issue.record("taken: \(text)")
        } catch {
            #expect(error.offset == offset, "\(text): \(error)")
        }
    }

    @Test(
        "16 levels are taken, 17 are not", arguments: [(16, true), (17, false), (100_000, false)])
    func depth(levels: Int, isTaken: Bool) {
        let text = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        #expect(((try? JSONDocument(Array(text.utf8))) != nil) == isTaken)
    }

    @Test("strings that are not UTF-8 are refused")
    func encoding() {
        #expect((try? JSONDocument([0x22, 0xFF, 0x22])) == nil)
        #expect((try? JSONDocument([0x22, 0xC3, 0xA9, 0x22])) != nil)
    }

    @Test("a lone surrogate is repaired, not a trap")
    func surrogate() throws {
        let document = try JSONDocument(Array("\"\\ud800x\\udc00\"".utf8))
        #expect(document.root.string == "\u{FFFD}x\u{FFFD}")
    }

    @Test("a number has the text of its Double or of its Int64, however it was written")
    func numbers() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            let digits = 1 + Int(generator.next() % 17)
            var text = ""
            // Zeros are what matters.
            for _ in 0..<digits {
                text += generator.next() % 3 == 0 ? "0" : String(generator.next() % 10)
            }
            let point = 1 + Int(generator.next() % UInt64(text.count))
            let whole = String(Int(text.prefix(point)) ?? 0)
            text = whole + (point < text.count ? "." + text.dropFirst(point) : "")
            if generator.next() % 3 == 0 { text = "-" + text }
            let value = try #require(Double(text))
            let expected =
                (Int64(text) ?? Int64(exactly: value)).map { String($0) } ?? String(value)
            let canonical = try JSONDocument(Array(text.utf8)).root.canonical
            #expect(String(decoding: canonical, as: UTF8.self) == expected, "\(text)")
        }
    }

    @Test("a number is the Double that is nearest to it, however many digits it has")
    func nearestDouble() {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        func check(_ text: some StringProtocol) {
            let found = Array(text.utf8).withUnsafeBufferPointer { JSONObjectScanner.number($0) }
            #expect(found == Double(text), "\(text)")
        }
        // Halfway between two neighbours: 2^53 + 1, and the same in smaller units.
        for text in [
            "9007199254740993", "9007199254740995", "900719925474099.3", "4503599627370496.5",
            "4503599627370497.5", "1.00000000000000011102", "0.0000000000000000001",
            "9999999999999999999", "0.9999999999999999999", "-9223372036854775808", "-0",
        ] { check(text) }
        for _ in 0..<20_000 {
            let digits = (0..<1 + generator.next() % 21).map { _ in generator.next() % 10 }
            let point = Int(generator.next() % UInt64(digits.count))
            var text = digits.map { String($0) }.joined()
            text.insert(".", at: text.index(text.startIndex, offsetBy: point))
            check((point == 0 ? "0" : "") + text)
        }
        // One in a thousand lies so near the middle of two that only the remainder tells.
        for _ in 0..<40_000 {
            let text = String(10_000_000_000_000_000 + generator.next() % 8_000_000_000_000_000_000)
            check("0." + text)
            check(text.prefix(3) + "." + text.dropFirst(3))
        }
        // What devices send: the shortest text of some Double.
        for _ in 0..<20_000 { check(String(generator.unit() * 180)) }
    }

    @Test("whole numbers in digits are read up to their last one")
    func wholeNumbers() {
        for text in [
            "0", "-0", "7", "-7", "9223372036854775807", "-9223372036854775808",
            "9223372036854775808", "-9223372036854775809", "99999999999999999999", "", "-", "1.0",
            "1e3", "--1", "+1",
        ] {
            let found = Array(text.utf8).withUnsafeBufferPointer { Int64(digits: $0) }
            #expect(found == (text == "+1" ? nil : Int64(text)), "\(text)")
        }
    }

    @Test("a special byte is seen at every place of a string", arguments: 0..<24)
    func specialBytes(place: Int) throws {
        let before = String(repeating: "~", count: place)
        for after in ["", "x", String(repeating: " ", count: 17)] {
            let escaped = try JSONDocument(Array("[\"\(before)\\n\(after)\",1]".utf8)).root
            #expect(escaped.elements.first?.string == before + "\n" + after)
            let accented = try JSONDocument(Array("[\"\(before)\u{e9}\(after)\",1]".utf8)).root
            #expect(accented.elements.first?.string == before + "\u{e9}" + after)
            let plain = try JSONDocument(Array("[\"\(before)\",\"\(after)\"]".utf8)).root
            #expect(plain.elements.map { $0.string } == [before, after])
            for byte: UInt8 in [0x00, 0x1F, 0xFF] {
                let text = Array("[\"\(before)".utf8) + [byte] + Array("\(after)\"]".utf8)
                #expect((try? JSONDocument(text)) == nil, "byte \(byte)")
            }
        }
    }

    @Test("random damage is refused or read, and never a trap")
    func damage() {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let sound = Array("{\"a\":[1.5e3,\"x\\u00e9\\n\",{\"b\":null,\"c\":true}],\"d\":-0.1}".utf8)
        for _ in 0..<3_000 {
            var text = sound
            for _ in 0..<1 + generator.next() % 4 {
                let place = Int(generator.next() % UInt64(text.count))
                text[place] = UInt8(truncatingIfNeeded: generator.next())
            }
            if let document = try? JSONDocument(text) { _ = document.root.canonical }
        }
    }
}
