import ConfigurationFile
import Foundation
import TestSupport
import Testing

@Suite("Configuration file")
struct ConfigurationFileTests {
    @Test(
        "defaults stand where nothing is given",
        arguments: [
            "", "\n", "# only words\n", "---\n", "---\n...\n", "~", "receiver:\n", "receiver: {}\n",
            "receiver: { port, ratio, source }\nserver: null\ncommand: ~\n", "\u{FEFF}small: 7\n",
        ])
    func hasDefaults(text: String) throws {
        #expect(try SampleConfiguration.decode(text).value == SampleConfiguration())
    }

    @Test("a whole file is read")
    func readsAll() throws {
        let decoded = try SampleConfiguration.decode(
            """
            server:
              url: https://fences.example.org   # words
              key_file: "/etc/key"
            receiver: { source: gpsd, port: 65535, ratio: 2.5e-1, passive: On }
            command: [notify, 8080, 'yes', yes]
            small: 255
            labels: { a: 1, b: -2 }
            """)
        #expect(decoded.value.server?.url == "https://fences.example.org")
        #expect(decoded.value.server?.keyFile == "/etc/key")
        #expect(decoded.value.receiver.source == .gpsd)
        #expect(decoded.value.receiver.port == 65_535)
        #expect(decoded.value.receiver.ratio == 0.25)
        #expect(decoded.value.receiver.isPassive)
        #expect(decoded.value.command == ["notify", "8080", "yes", "yes"])
        #expect(decoded.value.small == 255)
        #expect(decoded.value.labels == ["a": 1, "b": -2])
    }

    @Test(
        "what is wrong is named with its place and what is allowed",
        arguments: [
            (
                "receiver:\n  port: 70000\n",
                "a.yaml:2:9: receiver.port: 70000 is out of range, allowed 1...65535"
            ),
            (
                "receiver:\n  prot: 1\n",
                "a.yaml:2:3: receiver.prot: unknown key, known here: passive, port, ratio, source"
            ),
            (
                "recevier: {}\n",
                "a.yaml:1:1: recevier: unknown key, known here: "
                    + "command, labels, receiver, server, small"
            ),
            ("small: 1\nsmall: 2\n", "a.yaml:2:1: duplicate key 'small', first in line 1"),
            (
                "receiver:\n  {port: 1, \"port\": 2}\n",
                "a.yaml:2:13: duplicate key 'port', first in line 2"
            ),
            ("small: 256\n", "a.yaml:1:8: small: 256 is out of range, allowed 0...255"),
            ("small: -1\n", "a.yaml:1:8: small: -1 is out of range, allowed 0...255"),
            (
                "small: '7'\n",
                "a.yaml:1:8: small: expected a whole number, found the text \"7\""
            ),
            ("small: 010\n", "a.yaml:1:8: small: expected a whole number, found '010'"),
            ("small: 0x10\n", "a.yaml:1:8: small: expected a whole number, found '0x10'"),
            ("small: 1_0\n", "a.yaml:1:8: small: expected a whole number, found '1_0'"),
            ("small: 7.0\n", "a.yaml:1:8: small: expected a whole number, found '7.0'"),
            ("small: [7]\n", "a.yaml:1:8: small: expected a whole number, found a list"),
            (
                "small: 99999999999999999999\n",
                "a.yaml:1:8: small: 99999999999999999999 is out of range, allowed 0...255"
            ),
            (
                "receiver: { ratio: .nan }\n",
                "a.yaml:1:20: receiver.ratio: expected a number, found '.nan'"
            ),
            (
                "receiver: { ratio: nan }\n",
                "a.yaml:1:20: receiver.ratio: expected a number, found 'nan'"
            ),
            (
                "receiver: { ratio: 1:30 }\n",
                "a.yaml:1:20: receiver.ratio: expected a number, found '1:30'"
            ),
            (
                "receiver: { ratio: 1e999 }\n",
                "a.yaml:1:20: receiver.ratio: expected a number, found '1e999'"
            ),
            (
                "receiver: { passive: 1 }\n",
                "a.yaml:1:22: receiver.passive: expected true or false, found '1'"
            ),
            (
                "receiver: { passive: tRue }\n",
                "a.yaml:1:22: receiver.passive: expected true or false, found 'tRue'"
            ),
            (
                "receiver: { source: usb }\n",
                "a.yaml:1:21: receiver.source: 'usb' is not one of auto, serial, gpsd"
            ),
            (
                "receiver: { source: [usb] }\n",
                "a.yaml:1:21: receiver.source: expected a text, found a list"
            ),
            ("receiver: on\n", "a.yaml:1:11: receiver: expected a group of keys, found 'on'"),
            ("command: ls\n", "a.yaml:1:10: command: expected a list, found 'ls'"),
            (
                "command:\n  - ls\n  - { a: 1 }\n",
                "a.yaml:3:5: command[1]: expected a text, found a group of keys"
            ),
            ("server:\n  key_file: x\n", "a.yaml:2:3: server.url: is missing"),
            ("server:\n  url:\n", "a.yaml:2:3: server.url: expected a text, found nothing"),
            (
                "labels: { a: b }\n",
                "a.yaml:1:14: labels.a: expected a whole number, found 'b'"
            ),
            ("small: 7\n---\nsmall: 8\n", "a.yaml:2:1: a second document, allowed is one"),
            ("small: &x 7\n", "a.yaml:1:8: anchors and aliases are not allowed"),
            ("small: *x\n", "a.yaml:1:8: anchors and aliases are not allowed"),
            ("small: !!int 7\n", "a.yaml:1:8: tags are not allowed"),
            (
                "<<: { small: 7 }\n",
                "a.yaml:1:1: <<: unknown key, known here: "
                    + "command, labels, receiver, server, small"
            ),
            ("? [a, b]\n: 1\n", "a.yaml:1:3: a key is a word"),
            ("just words\n", "a.yaml:1:1: expected a group of keys, found 'just words'"),
            ("- a\n", "a.yaml:1:1: expected a group of keys, found a list"),
        ] as [(String, String)])
    func refuses(text: String, message: String) {
        #expect(refusal(of: Array(text.utf8)) == message)
    }

    @Test(
        "broken YAML is refused with the place where it breaks",
        arguments: [
            ("small: [1, 2\n", "a.yaml:2:1: "), ("a: b: c\n", "a.yaml:1:5: "),
            ("small: \"7\n", "a.yaml:2:1: "), ("\tsmall: 7\n", "a.yaml:1:1: "),
            ("small: 7\n  bad: 1\n", "a.yaml:2:6: "), ("a: 'x' y\n", "a.yaml:1:8: "),
            ("%YAML 9.9\n---\n", "a.yaml:1:1: "), ("@\n", "a.yaml:1:1: "),
        ])
    func refusesBrokenYAML(text: String, start: String) {
        #expect(refusal(of: Array(text.utf8))?.hasPrefix(start) == true)
    }

    @Test(
        "bytes that are no text are refused, never read",
        arguments: [
            ([0x73, 0x3A, 0x0A, 0xFF, 0x3A], "a.yaml:2:1: the line is not UTF-8"),
            ([0xFF, 0xFE, 0x61, 0x00], "a.yaml:1:1: the line is not UTF-8"),
            ([0x61, 0x3A, 0x20, 0x00], nil), ([0x61, 0x3A, 0x20, 0x07], nil),
        ] as [([UInt8], String?)])
    func refusesOtherBytes(bytes: [UInt8], message: String?) {
        let refusal = refusal(of: bytes)
        #expect(refusal?.hasPrefix("a.yaml:") == true)
        if let message { #expect(refusal == message) }
    }

    @Test("size, depth and number of values are limited")
    func isLimited() {
        let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        #expect(refusal(of: Array(deep.utf8)) == "a.yaml:1:34: nested deeper than 32")
        let big = [UInt8](repeating: UInt8(ascii: "#"), count: (1 << 20) + 1)
        #expect(refusal(of: big) == "a.yaml: 1048577 bytes are too many, allowed up to 1048576")
        let many = "command: [" + String(repeating: "a,", count: 100_000) + "]"
        #expect(refusal(of: Array(many.utf8))?.hasSuffix("more than 100000 values") == true)
    }

    @Test("a group of tens of thousands of keys is read, not searched again for each")
    func readsManyKeys() throws {
        let text = "labels:\n" + (0..<40_000).map { "  k\($0): \($0)\n" }.joined()
        #expect(try SampleConfiguration.decode(text).value.labels.count == 40_000)
    }

    @Test("every unknown key is named, in the order of the file")
    func namesAllUnknownKeys() {
        let text = "first: 1\nreceiver: { second: 2 }\nthird: 3\n"
        let lines = refusal(of: Array(text.utf8))?.split(separator: "\n").map { $0.prefix(24) }
        #expect(
            lines == [
                "a.yaml:1:1: first: unkno", "a.yaml:2:13: receiver.se",
                "a.yaml:3:1: third: unkno",
            ])
    }

    @Test("a file that cannot be read is a refusal as well")
    func needsAFile() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("absent.yaml")
        #expect(
            refusal { try ConfigurationFile(path: path) }
                == "\(path): cannot be read: No such file or directory")
        #expect(
            refusal { try ConfigurationFile(path: folder.path) }
                == "\(folder.path): cannot be read: Is a directory")
        try "small: 9\n".write(toFile: folder.file("a"), atomically: true, encoding: .utf8)
        let value = try ConfigurationFile(path: folder.file("a")).decode(SampleConfiguration.self)
        #expect(value.value.small == 9)
        #expect(
            try ConfigurationFile.empty(name: "x").decode(SampleConfiguration.self).value
                == SampleConfiguration())
    }

    private func refusal(of bytes: [UInt8]) -> String? {
        refusal {
            _ = try ConfigurationFile(bytes, name: "a.yaml").decode(SampleConfiguration.self)
        }
    }

    private func refusal(_ work: () throws -> some Any) -> String? {
        do {
            _ = try work()
            return nil
        } catch let error as ConfigurationError {
            return error.description
        } catch {
            return "another error: \(error)"
        }
    }
}
