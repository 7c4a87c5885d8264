import Testing
import Timekeeping
import WireFormat

@testable import ReferenceServer

@Suite("An odd time is kept and flagged")
struct TimeFlagTests {
    @Test(
        "more than a day after the receipt, or more than a year before it",
        arguments: [
            (nil, nil), (0.0, nil), (86_400.0, nil), (86_401.0, "future"),
            (-364 * 86_400.0, nil), (-365 * 86_400.0, nil), (-365 * 86_400.0 - 1, "past"),
        ] as [(Double?, String?)])
    func bounds(seconds: Double?, flag: String?) throws {
        let receipt = try #require(UTCTime(rfc3339: "2026-01-31T12:00:00Z"))
        let time = seconds.map { receipt.advanced(byMilliseconds: Int64($0 * 1_000)) }
        #expect(TimeFlag(of: [receipt, time], receivedAt: receipt)?.rawValue == flag)
        #expect(TimeFlag(of: [time, nil], receivedAt: receipt)?.rawValue == flag)
    }

    @Test(
        "the event and its device show it",
        arguments: [
            ("2099-01-01T00:00:00Z", "future"), ("1970-01-01T00:00:00Z", "past"),
            ("0001-01-01T00:00:00Z", "past"),
        ])
    func shown(time: String, flag: String) throws {
        let fixture = try ServerFixture()
        var odd = EventText("odd")
        odd.occurredAt = time
        var sound = EventText.numbered(2)
        sound.occurredAt = fixture.clock.wallClock.time.rfc3339
        let answer = fixture.upload([odd.json, sound.json])
        #expect(answer.outcomes == ["accepted", "accepted"])
        let events = fixture.admin("GET", "/v1/admin/events")["events"]?.array ?? []
        #expect(events.map { $0["time_flag"] } == [.string(flag), .null])
        let table = fixture.admin("GET", "/v1/admin/events.csv").text.split(separator: "\r\n")
        #expect(
            table.map { $0.split(separator: ",").last == Substring(flag) }
                == [false, true, false])
        let device = fixture.admin("GET", "/v1/admin/devices/van-7")
        #expect(device["alarms"]?.array?.contains(.string("odd_times")) == true)
    }

    @Test("a device whose times can be has no alarm")
    func sound() throws {
        let fixture = try ServerFixture()
        var event = EventText("e-1")
        event.occurredAt = fixture.clock.wallClock.time.rfc3339
        _ = fixture.upload([event.json])
        let device = fixture.admin("GET", "/v1/admin/devices/van-7")
        #expect(device["alarms"]?.array?.contains(.string("odd_times")) == false)
    }
}
