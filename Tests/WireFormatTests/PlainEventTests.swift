import Campaigns
import Delivery
import Geodesy
import Geofencing
import Positioning
import TestSupport
import Testing
import Timekeeping
import WireFormat

/// What is written and read without an encoder or a decoder is what they would write and read.
@Suite("Events without an encoder")
struct PlainEventTests {
    @Test("are written byte for byte as the encoder writes them", arguments: [1, 2, 3] as [UInt64])
    func writing(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let event = Self.event(&random)
            let expected = try WireCoding.encode(event)
            let text = try event.text()
            #expect(text == expected, "seed \(seed): \(String(decoding: expected, as: UTF8.self))")
        }
    }

    @Test(
        "are written whole where they are longer than any usual one",
        arguments: [1400, 1536, 3000, 8000])
    func writingMuch(length: Int) throws {
        var random = SeededGenerator(seed: 8)
        var event = Self.event(&random, complete: true)
        for filling in ["x", "\"", "\u{1}", "ü"] {
            event.reason = String(repeating: filling, count: length)
            #expect(try event.text() == WireCoding.encode(event), "\(filling)")
        }
    }

    @Test(
        "are read as the decoder reads them, and all that we write is read",
        arguments: [4, 5, 6] as [UInt64])
    func reading(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            var event = Self.event(&random)
            event.notification.basis = nil
            let node = try JSONDocument(try event.text()).root
            let (plain, decoded) = (
                WireEvent(plain: node), try WireCoding.decode(WireEvent.self, from: node.text)
            )
            #expect(plain == decoded, "seed \(seed)")
        }
    }

    @Test("a member of another form is left to the decoder, or read as it reads it")
    func otherForms() throws {
        var random = SeededGenerator(seed: 7)
        var event = Self.event(&random, complete: true)
        event.notification.basis = nil
        let text = String(decoding: try event.text(), as: UTF8.self)
        let document = try JSONDocument(Array(text.utf8))
        var compared = 0
        for (path, value) in Self.leaves(document.root) {
            for other in Self.others {
                let changed = Self.replacing(value, of: path, with: other, in: text)
                guard let root = try? JSONDocument(Array(changed.utf8)).root else { continue }
                let decoded = try? WireCoding.decode(WireEvent.self, from: root.text)
                if let plain = WireEvent(plain: root) {
                    #expect(plain == decoded, "\(path) = \(other)")
                }
                compared += 1
            }
        }
        #expect(compared > 500)
    }

    @Test("a missing member is missed as the decoder misses it")
    func missing() throws {
        var random = SeededGenerator(seed: 8)
        let text = String(decoding: try Self.event(&random, complete: true).text(), as: UTF8.self)
        let document = try JSONDocument(Array(text.utf8))
        for (path, value) in Self.leaves(document.root) {
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            let changed = Self.replacing(value, of: path, with: "null", in: text)
                .replacing("\"\(name)\":null", with: "\"unknown\":1", maxReplacements: 1)
            guard let root = try? JSONDocument(Array(changed.utf8)).root else { continue }
            let decoded = try? WireCoding.decode(WireEvent.self, from: root.text)
            if let plain = WireEvent(plain: root) { #expect(plain == decoded, "\(path)") }
        }
    }

    @Test("a number that JSON cannot hold is refused", arguments: [Double.nan, .infinity])
    func notFinite(number: Double) throws {
        var random = SeededGenerator(seed: 9)
        var event = Self.event(&random)
        event.durationSeconds = number
        #expect(throws: WireError.self) { try event.text() }
    }

    @Test("an answer is written byte for byte as the encoder writes it")
    func answer() throws {
        let answer = BatchAnswer(
            batchID: "a\"/\\\u{1}\u{1f}\n-1", serverTime: UTCTime(millisecondsSince1970: 5),
            configRevision: 7,
            results: [
                .init(clientEventID: "1", status: .accepted, notificationVerdict: "allowed"),
                .init(
                    clientEventID: "\u{e4}\t\u{8}\u{c}\r", status: .deferred,
                    code: "quota_exceeded",
                    retryAfterSeconds: 86_400),
                .init(clientEventID: "3", status: .rejected, code: "x", retryAfterSeconds: 0.5),
            ])
        let encoded = try WireCoding.encode(answer)
        #expect(try answer.text() == encoded)
        var empty = answer
        empty.results = []
        let encodedEmpty = try WireCoding.encode(empty)
        #expect(try empty.text() == encodedEmpty)
    }

    private static let others = [
        "null", "true", "false", "0", "-0", "1", "-1", "1.0", "1.5", "1e3", "1e30", "-1E-2",
        "123456789012345678", "1234567890123456789", "12345678901234567890", "\"\"", "\"x\"",
        "\"12\"", "\"\\u00e4\\n\"", "\"2026-01-01T00:00:00Z\"", "\"2026-02-30T00:00:00Z\"",
        "[]", "[\"a\"]", "[1]", "[null]", "{}", "{\"lat\":1}",
    ]

    /// All values below a node that are neither objects nor the node itself, with their paths.
    private static func leaves(_ node: JSONNode, at path: String = "") -> [(String, String)] {
        node.members.flatMap { name, value in
            let own = [("\(path)/\(name)", String(decoding: value.text, as: UTF8.self))]
            return value.kind == .object ? own + leaves(value, at: "\(path)/\(name)") : own
        }
    }

    /// The text with the first value of that name and text replaced.
    private static func replacing(
        _ value: String, of path: String, with other: String, in text: String
    ) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        return text.replacing(
            "\"\(name)\":\(value)", with: "\"\(name)\":\(other)", maxReplacements: 1)
    }

    /// An event in which everything may be there or not.
    private static func event(
        _ random: inout SeededGenerator, complete: Bool = false
    ) -> WireEvent {
        func some() -> Bool { complete || random.next() % 2 == 0 }
        func number() -> Double {
            switch random.next() % 5 {
            case 0: Double(random.next() % 1000)
            case 1: -random.unit() * 1e-7
            case 2: random.unit() * 1e18
            case 3: 0
            default: (random.unit() * 1e6).rounded() / 1000
            }
        }
        func text() -> String {
            let words = [
                "depot", "", "a/b", "\"quoted\"", "back\\slash", "line\nfeed", "\u{1}\u{1f}\u{7f}",
                "\u{e4}\u{20ac}\u{1f600}", "tab\tr\rb\u{8}f\u{c}",
            ]
            return words[Int(random.next() % UInt64(words.count))]
        }
        var draft = SampleEvents.draft(
            EventKind.allCases[Int(random.next() % UInt64(EventKind.allCases.count))],
            fence: some() ? text() : nil, second: Int64(random.next() % 1_000_000))
        if !some() { draft.occurred.utc = nil }
        if !some() { draft.detected = Moment(uptime: nil, utc: nil) }
        if some() { draft.occurred.uptime = Uptime(milliseconds: Int64(random.next() % 1000)) }
        if some() { draft.occurredUncertaintySeconds = abs(number()) }
        draft.isInitial = some()
        draft.isInferred = some()
        if some() { draft.reason = text() }
        if some() { draft.durationSeconds = number() }
        if !some() { draft.fix = nil }
        draft.fix?.course = some() ? number() : nil
        draft.fix?.speed = some() ? number() : nil
        draft.evidence = some() ? evidence(&random, number: number()) : nil
        if some() {
            draft.evicted = EvictedRange(
                kind: .pass, count: 3, firstSequence: -1, lastSequence: Int64.max)
        }
        if some() {
            var basis = NotificationBasis()
            basis.cooldownSeconds = number()
            basis.window = text()
            draft.notification = NotificationDecision(
                outcome: .suppressed, reason: text(), campaignID: some() ? text() : nil,
                campaignVersion: some() ? 4 : nil, basis: some() ? basis : nil)
        }
        var event = WireEvent(
            Event(
                clientEventID: text(),
                position: QueuePosition(epoch: text(), sequence: Int64(random.next() >> 12)),
                visitID: some() ? text() : nil, content: draft))
        if some() { event.position?.integrityFlags = [text(), text()] }
        if some() { event.serverNotificationVerdict = text() }
        return event
    }

    private static func evidence(
        _ random: inout SeededGenerator, number: Double
    ) -> Evidence {
        let moment = Moment(
            uptime: Uptime(milliseconds: 1), utc: UTCTime(millisecondsSince1970: 1_234_567))
        return Evidence(
            rule: "outside.decisive", signedDistanceMeters: number, accuracyMeters: -number,
            confirmations: Int(random.next() % 5), spanSeconds: number,
            gapSeconds: random.next() % 2 == 0 ? number : nil,
            isStationary: random.next() % 2 == 0,
            chord: random.next() % 2 == 0
                ? .init(entered: moment, left: moment, lengthMeters: number) : nil)
    }
}
