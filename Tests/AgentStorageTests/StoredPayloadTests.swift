import Campaigns
import Delivery
import Positioning
import SQLite
import TestSupport
import Testing

@testable import AgentStorage

/// What earlier versions wrote is read for ever: an event that was sent is sent again with the same bytes.
@Suite("Payloads that lie on devices")
struct StoredPayloadTests {
    @Test(
        "are read as the JSON that was sent of them",
        arguments: [
            (fullPacked, true), (fullValues, true), (plainPacked, false), (plainValues, false),
        ])
    func samples(stored: String, isFull: Bool) throws {
        let event = isFull ? EventPayloadTests.full : EventPayloadTests.plain
        let text = isFull ? Self.fullText : Self.plainText
        let bytes = Self.bytes(stored)
        let found = try #require(
            EventPayload.json(
                bytes, kind: event.content.kind, clientEventID: event.clientEventID,
                position: event.position))
        #expect(String(decoding: found, as: UTF8.self) == text)
    }

    @Test("in a queue of an earlier program are sent as they were, from the disk and from memory")
    func earlierQueue() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("state/queue.db")
        let first = try openQueue(in: directory)
        _ = try first.commit(SampleEvents.drafts(1), state: .none)
        first.close()
        let payload = Self.bytes(Self.fullPacked)
        let raw = try Connection(path: path)
        try raw.run(
            """
            UPDATE events SET payload = ?, digest = ?, event_id = ?, kind = 'pass', epoch = ?,
                sequence = 50801
            """, payload, Digest.of(payload),
            try #require(UUIDBytes(text: EventPayloadTests.full.clientEventID)).bytes,
            EventPayloadTests.full.position.epoch)
        try raw.setPragma("user_version", 2)
        let queue = try openQueue(in: directory)
        let sent = try queue.pending(everything)
        #expect(sent.map { String(decoding: $0.payload, as: UTF8.self) } == [Self.fullText])
        #expect(try queue.store?.connection.schemaVersion() == 3)
        let rows = try #require(queue.store?.rows)
        let memory = try MemoryFallback(
            try #require(try openQueue(in: TemporaryDirectory()).store), from: rows,
            epoch: queue.epoch, lastSequence: 1)
        let carried = try memory.store.pending(everything)
        #expect(carried.map(\.payload) == sent.map(\.payload))
        #expect(queue.health == .durable)
        queue.close()
    }

    @Test("without a version are JSON, and of another version or cut off they are nothing")
    func others() {
        func json(_ bytes: [UInt8]) -> [UInt8]? {
            EventPayload.json(
                bytes, kind: .pass, clientEventID: "-",
                position: QueuePosition(epoch: "-", sequence: 1))
        }
        #expect(json(Array("{}".utf8)) == Array("{}".utf8))
        for bytes: [UInt8] in [[], [0], [1], [1, 0], [1, 0, 0], [2], [3], [3, 0, 0], [0x32]] {
            #expect(json(bytes) == nil, "\(bytes)")
        }
    }

    @Test("rest on a dictionary, words and lists that are what they were")
    func tables() {
        #expect(
            Digest.of(PackedPayload.dictionary) == [0xb8, 0x3e, 0xbf, 0x74, 0x59, 0x38, 0x01, 0xc7])
        // A new word goes to the end and takes a new version of the file: an earlier program must refuse
        // what it would take for damage.
        #expect(PayloadWord.words.joined(separator: " ") == Self.words)
        #expect(QueueSchema.version == 3)
        #expect(Set(PayloadWord.words).count == PayloadWord.words.count)
        for (index, word) in PayloadWord.words.enumerated() {
            #expect(PayloadWord.number(word) == UInt64(index) + 1)
            #expect(PayloadWord.word(UInt64(index) + 1) == word)
        }
        #expect(PayloadWord.word(0) == nil)
        #expect(PayloadWord.word(UInt64(PayloadWord.words.count) + 1) == nil)
        #expect(PayloadWord.word(.max) == nil)
        #expect(
            EventKind.stored.map(\.rawValue) == [
                "enter", "exit", "dwell", "pass", "visit_started", "visit_ended", "coverage_lost",
                "coverage_restored", "queue_evicted", "state_reset", "moved",
            ])
        #expect(Set(EventKind.stored) == Set(EventKind.allCases))
        #expect(PayloadID.allCases.count == PayloadID.formCount)
    }

    @Test("have a place for every value: where one is added, this does not compile")
    func places() {
        for (index, value) in TimeQuality.stored.enumerated() {
            let place =
                switch value {
                case .gnss: 0
                case .gnssUnconfirmed: 1
                case .disciplined: 2
                case .monotonicOnly: 3
                case .suspect: 4
                }
            #expect(index == place)
        }
        for (index, value) in FixOrigin.stored.enumerated() {
            let place =
                switch value {
                case .nmea: 0
                case .gpsd: 1
                case .recording: 2
                case .fixed: 3
                }
            #expect(index == place)
        }
        for (index, value) in NotificationDecision.Outcome.stored.enumerated() {
            let place =
                switch value {
                case .none: 0
                case .shown: 1
                case .suppressed: 2
                }
            #expect(index == place)
        }
        for (index, value) in Quality.stored.enumerated() {
            let place =
                switch value {
                case .none: 0
                case .autonomous: 1
                case .differential: 2
                case .pps: 3
                case .rtkFixed: 4
                case .rtkFloat: 5
                case .estimated: 6
                case .manual: 7
                case .simulated: 8
                case .other: 9
                }
            #expect(index == place)
        }
        #expect(TimeQuality.stored.count == 5 && FixOrigin.stored.count == 4)
        #expect(NotificationDecision.Outcome.stored.count == 3 && Quality.stored.count == 10)
    }

    private static func bytes(_ digits: String) -> [UInt8] {
        let digits = digits.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }

    private static let words =
        "decisive eager fast_repeated margin slow_mean stationary_margin stationary_mean "
        + "stationary_hold seed_decisive seed_repeated dwell dwell_ramp pass_between_fixes "
        + "pass_inside gap fence_deleted fence_disabled fence_expired fence_changed capacity "
        + "uncommitted cooldown quiet_hours window cap burst initial_enter not_yet_valid expired "
        + "time_unknown zone_unknown unreadable_rules campaign fence"

    // MARK: Version 1: packed text

    private static let fullPacked =
        "0105a0096103ff0f303131323233333434353536363737383839396161626263636464"
        + "656566036103ff1536623339613562392d653364662d383536372d613635312d383331"
        + "3034396534666433620185031037030151313554303803015f362e3032380885030138"
        + "070797071a329807009401039a07037e01069a074f3133307d07c90330362e32050504"
        + "e7054d32352e37260115328b061f340cf5050f01f203c531322e35383332313337372c"
        + "8b0110317b050e110706f0050b200150302e303136200107f0050b2300123123000a40"
        + "04fe014465706f7420e2809e53c3bc64e2809c4904183349040f0297070f0f47040648"
        + "08037c08345f6f66bd040097050416000027051036ac01606c6f63616c5f4603003005"
        + "f1076f6e2032333a3134222c226d61785f7065725f6461799b00b16f757472616e6b65"
        + "645f6269032061744e079172656d61696e696e675200313538374e01006808315f746f"
        + "3b00005a0510693105017e0801d20510322500007300107aea04d13a224575726f7065"
        + "2f4265726cae056077696e646f77a103a1323a30302d30363a303044090f191c091f37"
        + "101c0908a1090d6e050f05f8010f4c6e053132373109030f0a01080f04970b01860535"
        + "35322e9007038e05782d31332e3431360100089d0508270c0958081c3158080a9d054d"
        + "2e3534339e05f811613138366133313133353135353531653634653166373538386134"
        + "65376338369c0a34676170cd055d3530383031cf0508250c0ace0809d605fc15333030"
        + "35393466382d626639362d386537392d623537382d353439643939346133393930fa05"
        + "0ef7042f373109fa0500"

    private static let plainPacked =
        "0102740861031f660c01000f02610313300100102d0800252d38050004180030303030"
        + "be020f00f2060f176d0704f700066e072a317d9b030cd700058c03054a040675030032"
        + "010f0075030f174e0302a2070f054c07197d1e070f0256030241000808030f07de0213"
        + "30db021830d8020156000cc3020db2020783010f02020005d2020dd0020d5409038002"
        + "02730908cd024f3139373017cd0202e10400"

    // MARK: Version 2: values

    private static let fullValues =
        "02ff00300594f8bf968e79b578549d994a399003124465706f7420e2809e53c3bc64e2"
        + "809c060100112233445566778899aabbccddeeffee9ee385e36802d0d8a30855f75df7"
        + "5d8119ff0faad19ab3910c035555555555d52ac020b96091b98401a138ff160501140d"
        + "ceac9381f702d1860304e15dd002f75dfff75dd00fd00fa1c60cd9fb0702160c63616d"
        + "706169676e2d310eff2280e101a18d06e1dad70d096d6f6e2032333a31340d4575726f"
        + "70652f4265726c696e0b32323a30302d30363a303004070606676174650118c8013c"

    private static let plainValues =
        "02000a01ffffffffffffffffffffffffffffffff000300080000020000000102000008"
        + "4000020200"

    // MARK: Their text

    private static let fullText =
        #"{"boot_id":"00112233445566778899aabbccddeeff","#
        + #""client_event_id":"6b39a5b9-e3df-8567-a651-831049e4fd3b","#
        + #""detected_at":"2027-01-15T08:00:06.028Z","duration_s":16.315,"#
        + #""evicted":{"count":12,"first_seq":100,"kind":"exit","last_seq":130},"#
        + #""evidence":{"accuracy_m":6.25,"chord_m":25.7,"confirmations":2,"gap_s":42,"#
        + #""rule":"pass_between_fixes","signed_distance_m":-12.58321377,"span_s":1.5,"#
        + #""stationary":true,"t_in":"2027-01-15T08:00:00.016Z","#
        + #""t_out":"2027-01-15T08:00:01.016Z"},"fence_id":"Depot „Süd“","#
        + #""fence_version":3,"inferred":true,"initial":true,"mono_ms":8681000,"#
        + #""notification":{"basis":{"cooldown_of":"fence","cooldown_s":3600,"#
        + #""local_time":"mon 23:14","max_per_day":3,"outranked_by":"gate","#
        + #""remaining_s":3587.5,"shown_today":2,"since_shown_s":12.5,"#
        + #""timezone":"Europe/Berlin","window":"22:00-06:00"},"campaign_id":"campaign-1","#
        + #""campaign_version":7,"decision":"suppressed","reason":"cooldown"},"#
        + #""occurred_at":"2027-01-15T08:00:00.016Z","occurred_mono_ms":8674988,"#
        + #""occurred_uncertainty_s":0.4,"position":{"accuracy_m":4,"course_deg":271.25,"#
        + #""hdop":0.9,"integrity_flags":["frozen","time_step"],"lat":52.123456789,"#
        + #""lon":-13.416666666666666,"quality":"rtk_float","satellites":11,"#
        + #""source":"gpsd","speed_mps":1.543},"#
        + #""queue_epoch":"a186a3113515551e64e1f7588a4e7c86","reason":"gap","seq":50801,"#
        + #""time_quality":"disciplined","type":"pass","#
        + #""visit_id":"300594f8-bf96-8e79-b578-549d994a3990","#
        + #""wall_at":"2027-01-15T08:00:06.071Z","wall_synchronised":true}"#

    private static let plainText =
        #"{"boot_id":"ffffffffffffffffffffffffffffffff","#
        + #""client_event_id":"00000000-0000-8000-8000-000000000001","detected_at":null,"#
        + #""evicted":{"count":1,"first_seq":1,"kind":"enter","last_seq":1},"#
        + #""evidence":{"confirmations":1,"rule":"decisive","span_s":0,"#
        + #""stationary":false},"inferred":false,"initial":false,"mono_ms":null,"#
        + #""notification":{"basis":{},"decision":"none"},"occurred_at":null,"#
        + #""position":{"integrity_flags":[],"lat":0,"lon":0,"quality":"none","#
        + #""source":"nmea"},"queue_epoch":"00000000000000000000000000000000","seq":1,"#
        + #""time_quality":"monotonic_only","type":"moved","#
        + #""wall_at":"1970-01-01T00:00:00.000Z","wall_synchronised":false}"#
}
