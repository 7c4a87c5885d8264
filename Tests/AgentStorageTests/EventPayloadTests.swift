import Campaigns
import Delivery
import Geodesy
import Geofencing
import Positioning
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import AgentStorage

@Suite("An event's payload")
struct EventPayloadTests {
    private static let id = UUIDBytes(
        front: 0x6b39_a5b9_e3df_8567, back: 0xa651_8310_49e4_fd3b)

    private struct Packed {
        var id: [UInt8] = []
        var digest: [UInt8] = []
        var bytes: [UInt8]
    }

    /// As it goes into a row.
    private static func pack(_ event: Event) -> Packed? {
        var stored: [UInt8] = []
        guard EventPayload.append(event, id: id, to: &stored) else {
            #expect(stored.isEmpty)
            return nil
        }
        return Packed(
            id: Array(stored.prefix(16)), digest: Array(stored[16..<24]),
            bytes: Array(stored.dropFirst(24)))
    }

    private static func json(_ packed: Packed, _ event: Event) -> [UInt8]? {
        EventPayload.json(
            packed.bytes, kind: event.content.kind, clientEventID: event.clientEventID,
            position: event.position)
    }

    @Test("becomes the bytes that the event was", arguments: [1, 2, 3, 4] as [UInt64])
    func roundTrip(seed: UInt64) throws {
        var events = RandomEvents(seed: seed)
        for number in 0..<400 {
            let event = events.next()
            let packed = try #require(Self.pack(event))
            let text = try WireEvent(event).text()
            let isSame = Self.json(packed, event) == text
            try #require(isSame, "seed \(seed), event \(number)")
            #expect(packed.id == Self.id.bytes)
            try #require(
                packed.digest
                    == EventPayload.digest(
                        packed.bytes, id: Self.id.bytes, position: event.position))
        }
    }

    @Test(
        "is refused for what JSON cannot hold, and for nothing else", arguments: [5, 6] as [UInt64])
    func notFinite(seed: UInt64) {
        var events = RandomEvents(seed: seed, isFinite: false)
        var refused = 0
        for number in 0..<400 {
            let event = events.next()
            let text = try? WireEvent(event).text()
            let packed = Self.pack(event)
            #expect((packed == nil) == (text == nil), "seed \(seed), event \(number)")
            if let packed { #expect(Self.json(packed, event) == text) } else { refused += 1 }
        }
        #expect(refused > 20 && refused < 380)
    }

    @Test(
        "has everything that is sent: nothing of what an event can say is at rest in the other one")
    func completeness() throws {
        let (full, plain) = (Self.full, Self.plain)
        for event in [full, plain] {
            let packed = try #require(Self.pack(event))
            let json = try #require(Self.json(packed, event))
            #expect(try WireCoding.decode(WireEvent.self, from: json) == WireEvent(event))
        }
        // Both of them differ in every member, so that none is left to what it is by default. One that
        // a type gets later must be given values above.
        let (all, none) = (WireEvent(full), WireEvent(plain))
        Self.expectDifference(all, none, besides: ["serverNotificationVerdict"])
        Self.expectDifference(full.content, plain.content)
        Self.expectDifference(try #require(all.position), try #require(none.position))
        Self.expectDifference(try #require(all.evidence), try #require(none.evidence))
        Self.expectDifference(all.notification, none.notification)
        Self.expectDifference(
            try #require(all.notification.basis), try #require(none.notification.basis))
        Self.expectDifference(try #require(all.evicted), try #require(none.evicted))
        // What is optional is there in one of them and not in the other.
        for mirror in [
            Mirror(reflecting: all), Mirror(reflecting: try #require(all.position)),
            Mirror(reflecting: try #require(all.evidence)), Mirror(reflecting: all.notification),
            Mirror(reflecting: try #require(all.notification.basis)),
        ] {
            for child in mirror.children where child.label != "serverNotificationVerdict" {
                #expect("\(child.value)" != "nil", "\(child.label ?? "")")
            }
        }
    }

    private static func expectDifference<Value>(
        _ left: Value, _ right: Value, besides excepted: Set<String> = []
    ) {
        for (one, other) in zip(
            Mirror(reflecting: left).children, Mirror(reflecting: right).children)
        {
            let name = one.label ?? ""
            guard !excepted.contains(name) else { continue }
            #expect("\(one.value)" != "\(other.value)", "\(Value.self).\(name)")
        }
    }

    @Test(
        "of bytes that nobody wrote is none or some text, and never a trap",
        arguments: [7, 8, 9] as [UInt64])
    func damage(seed: UInt64) throws {
        var events = RandomEvents(seed: seed)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<400 {
            let event = events.next()
            var bytes = try #require(Self.pack(event)).bytes
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes = [2] + (0..<200).map { _ in .random(in: 0...255, using: &random) }
            case 1: bytes = Array(bytes.prefix(.random(in: 0...bytes.count, using: &random)))
            case 2: bytes.append(0)
            default: break
            }
            for _ in 0..<Int.random(in: 0..<4, using: &random) where bytes.count > 1 {
                bytes[.random(in: 1..<bytes.count, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            let found = EventPayload.json(
                bytes, kind: event.content.kind, clientEventID: event.clientEventID,
                position: event.position)
            if let found { #expect(found.first == UInt8(ascii: "{")) }
        }
        let event = Self.full
        let whole = try #require(Self.pack(event)).bytes
        for end in 0..<whole.count {
            let cut = Packed(bytes: Array(whole[..<end]))
            #expect(Self.json(cut, event) == nil, "\(end) bytes")
        }
        #expect(Self.json(Packed(bytes: whole + [0]), event) == nil)
    }

    @Test("is of another kind than its row's: none")
    func kind() throws {
        let event = Self.plain
        let packed = try #require(Self.pack(event))
        for kind in EventKind.allCases {
            let found = EventPayload.json(
                packed.bytes, kind: kind, clientEventID: event.clientEventID,
                position: event.position)
            #expect((found != nil) == (kind == event.content.kind))
        }
    }

    @Test("takes a seventh of the text of an ordinary event")
    func size() throws {
        let content = SampleEvents.drafts(1)[0]
        let event = Event(
            clientEventID: Self.id.text,
            position: QueuePosition(epoch: "a186a3113515551e64e1f7588a4e7c86", sequence: 50_801),
            visitID: "300594f8-bf96-8e79-b578-549d994a3990", content: content)
        let packed = try #require(Self.pack(event))
        let text = try WireEvent(event).text()
        #expect(packed.bytes.count * 7 < text.count)
    }

    // MARK: Samples

    /// Everything is there.
    static let full = Event(
        clientEventID: "6b39a5b9-e3df-8567-a651-831049e4fd3b",
        position: QueuePosition(epoch: "a186a3113515551e64e1f7588a4e7c86", sequence: 50_801),
        visitID: "300594f8-bf96-8e79-b578-549d994a3990",
        content: EventDraft(
            kind: .pass, fenceID: "Depot „Süd“", fenceVersion: 3,
            bootID: BootID("00112233445566778899aabbccddeeff"),
            occurred: moment(uptime: 8_674_988, utc: 1_800_000_000_016),
            occurredUncertaintySeconds: 0.4,
            detected: moment(uptime: 8_681_000, utc: 1_800_000_006_028),
            wallClock: WallClockReading(
                time: UTCTime(millisecondsSince1970: 1_800_000_006_071), isSynchronised: true),
            timeQuality: .disciplined, isInitial: true, isInferred: true, reason: "gap",
            fix: Fix(
                coordinate: Coordinate(
                    latitude: 52.123_456_789, longitude: -13.416_666_666_666_666),
                time: UTCTime(millisecondsSince1970: 1_800_000_006_000), isTimeTrusted: true,
                uptime: Uptime(milliseconds: 8_680_000),
                horizontalAccuracy: HorizontalAccuracy(meters: 4, provenance: .hdop),
                altitudeMeters: 512, speed: 1.543, course: 271.25, hdop: 0.9, satellitesUsed: 11,
                quality: .rtkFloat, source: .gpsd, integrityFlags: [.frozen, .timeStep]),
            evidence: Evidence(
                rule: "pass_between_fixes", signedDistanceMeters: -12.583_213_77,
                accuracyMeters: 6.25, confirmations: 2, spanSeconds: 1.5, gapSeconds: 42,
                isStationary: true,
                chord: Evidence.Chord(
                    entered: moment(uptime: 8_674_988, utc: 1_800_000_000_016),
                    left: moment(uptime: 8_675_988, utc: 1_800_000_001_016), lengthMeters: 25.7)),
            durationSeconds: 16.315, endsVisit: true, mayNotify: false,
            notification: NotificationDecision(
                outcome: .suppressed, reason: "cooldown", campaignID: "campaign-1",
                campaignVersion: 7, basis: basis),
            evicted: EvictedRange(kind: .exit, count: 12, firstSequence: 100, lastSequence: 130)))

    private static let basis: NotificationBasis = {
        var basis = NotificationBasis()
        basis.cooldownOf = "fence"
        basis.cooldownSeconds = 3600
        basis.sinceShownSeconds = 12.5
        basis.remainingSeconds = 3587.5
        basis.localTime = "mon 23:14"
        basis.timezone = "Europe/Berlin"
        basis.window = "22:00-06:00"
        basis.shownToday = 2
        basis.maxPerDay = 3
        basis.outrankedBy = "gate"
        return basis
    }()

    /// Nothing that may be missing is there.
    static let plain = Event(
        clientEventID: "00000000-0000-8000-8000-000000000001",
        position: QueuePosition(epoch: "00000000000000000000000000000000", sequence: 1),
        content: EventDraft(
            kind: .moved, bootID: BootID("ffffffffffffffffffffffffffffffff"),
            occurred: Moment(uptime: nil, utc: nil), detected: Moment(uptime: nil, utc: nil),
            wallClock: WallClockReading(
                time: UTCTime(millisecondsSince1970: 0), isSynchronised: false),
            timeQuality: .monotonicOnly,
            fix: Fix(
                coordinate: Coordinate(latitude: 0, longitude: 0),
                uptime: Uptime(milliseconds: 0), source: .nmea),
            evidence: Evidence(rule: "decisive"),
            notification: NotificationDecision(outcome: .none, basis: NotificationBasis()),
            evicted: EvictedRange(kind: .enter, count: 1, firstSequence: 1, lastSequence: 1)))

    private static func moment(uptime: Int64, utc: Int64) -> Moment {
        Moment(
            uptime: Uptime(milliseconds: uptime), utc: UTCTime(millisecondsSince1970: utc))
    }
}
