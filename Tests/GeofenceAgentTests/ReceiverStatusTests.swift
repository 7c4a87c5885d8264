import Delivery
import Foundation
import Geodesy
import NMEA
import Positioning
import Simulation
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import GeofenceAgent

@Suite("What the agent tells of its receiver")
struct ReceiverStatusTests {
    private func fix(
        _ agent: AgentFixture, east: Double = 0, time: UTCTime?, isTrusted: Bool = true,
        source: FixOrigin = .nmea, quality: Quality = .autonomous
    ) -> Fix {
        Fix(
            coordinate: Coordinate(latitude: 10, longitude: 20 + east / 109_639.0), time: time,
            isTimeTrusted: isTrusted, uptime: agent.time.uptime,
            horizontalAccuracy: HorizontalAccuracy(meters: 5, provenance: .gst), hdop: 0.9,
            satellitesUsed: 9, satellitesInView: 14, bestSignal: 44, dimension: .threeDimensional,
            quality: quality, source: source)
    }

    @Test("every layer's counters and every verdict stand in the status")
    func layers() async throws {
        var nmea = NMEACounters()
        nmea.bytes = 1
        nmea.accepted = 2
        nmea.unknownType = 3
        nmea.checksumMismatch = 4
        nmea.checksumMissing = 5
        nmea.tooLong = 6
        nmea.nonPrintable = 7
        nmea.interrupted = 8
        nmea.ubxFrames = 9
        nmea.rtcmFrames = 10
        nmea.falseBinaryHeaders = 11
        nmea.malformed = 12
        nmea.nullIsland = 13
        nmea.late = 14
        nmea.epochs = 100
        nmea.fixes = 84
        var time = TimeResolverCounts()
        time.trusted = 17
        time.untrusted = 18
        time.undated = 19
        time.rollovers = 20
        time.refusedDates = 21
        time.backwardSteps = 22
        time.jumps = 23
        let report = ReceiverReport(
            device: "/dev/x", baud: 9600, openings: 24, hangUps: 25, nmea: nmea, time: time)
        let agent = await AgentFixture(receiverReport: report)
        await agent.drive([-300, -290])
        let status = await agent.tracking.status(upload: nil)
        let json = try JSONSerialization.jsonObject(with: Data(try WireCoding.encode(status)))
        let root = try #require(json as? [String: Any])
        #expect(root["schema"] as? String == "geofenced.status/1")
        let receiver = try #require(root["receiver"] as? [String: Any])
        let layers = try #require(receiver["layers"] as? [String: [String: Int]])
        #expect(
            layers == [
                "framer": [
                    "bytes": 1, "too_long": 6, "non_printable": 7, "interrupted": 8,
                    "ubx_frames": 9, "rtcm_frames": 10, "false_binary_headers": 11,
                ],
                "checksum": ["passed": 14, "mismatch": 4, "missing": 5],
                "fields": ["accepted": 2, "unknown_type": 3, "malformed": 12],
                "epochs": ["closed": 100, "late": 14],
                "validity": ["fixes": 84, "void": 16, "null_island": 13],
            ])
        #expect(
            receiver["time"] as? [String: Int] == [
                "trusted": 17, "untrusted": 18, "undated": 19, "rollovers": 20,
                "refused_dates": 21, "backward_steps": 22, "jumps": 23,
            ])
        #expect(receiver["openings"] as? Int == 24 && receiver["hang_ups"] as? Int == 25)
        let fix = try #require(root["fix"] as? [String: Any])
        #expect(fix["verdicts"] as? [String: Int] == ["ok": 2])
        #expect(fix["expired"] as? Bool == false)
        #expect(fix["accuracy_source"] as? String == "receiver")
    }

    @Test("every fix is told with verdict, accuracy and provenance, held ones again when released")
    func watchedFixes() async throws {
        let agent = await AgentFixture()
        let events = agent.hub.listen()
        await agent.drive([-300, -290, -280])
        // 5 km away at 10 m/s: held until four of them in ten seconds agree.
        await agent.drive((0..<12).map { 5000 + Double($0) * 2 }, speed: 2)
        agent.hub.close()
        var fixes: [FixReport] = []
        for await event in events {
            if case .fix(let report) = event { fixes.append(report) }
        }
        let held = fixes.filter { $0.verdict == FixVerdict.quarantined.rawValue }
        let released = fixes.filter(\.isReleased)
        #expect(held.count >= 4 && released.count == held.count)
        #expect(released.map(\.monoMilliseconds) == held.map(\.monoMilliseconds))
        #expect(fixes.filter { !$0.isReleased }.count == 15)
        let first = try #require(fixes.first)
        #expect(first.accuracyMeters == 5 && first.accuracySource == "receiver")
        #expect(first.gateAccuracyMeters == 5 && first.isTimeTrusted)
    }

    @Test("a fix tells all that the receiver said")
    func completeReport() async throws {
        let agent = await AgentFixture()
        let report = FixReport(
            FilteredFix(
                fix: fix(agent, time: agent.time.wallClock.time), verdict: .ok,
                accuracyMeters: 7, seedsState: false))
        let json = try JSONSerialization.jsonObject(with: Data(try WireCoding.encode(report)))
        let line = try #require(json as? [String: Any])
        #expect(line["verdict"] as? String == "ok" && line["seeds_state"] as? Bool == false)
        #expect(line["accuracy_m"] as? Double == 5 && line["accuracy_source"] as? String == "gst")
        #expect(line["gate_accuracy_m"] as? Double == 7 && line["hdop"] as? Double == 0.9)
        #expect(line["satellites_used"] as? Int == 9 && line["satellites_in_view"] as? Int == 14)
        #expect(line["best_cn0_dbhz"] as? Int == 44 && line["quality"] as? String == "autonomous")
        #expect(line["source"] as? String == "nmea" && line["released"] as? Bool == false)
    }

    @Test(
        "a time that contradicts a synchronised clock is flagged, and the fix is used",
        arguments: [
            (1990, true, FixOrigin.nmea, false), (2010, true, .nmea, true),
            (-2010, true, .gpsd, true), (-1990, true, .gpsd, false), (90_000, false, .nmea, false),
            (90_000, true, .fixed, false), (1024 * 7 * 86_400_000, true, .nmea, true),
        ] as [(Int64, Bool, FixOrigin, Bool)])
    func clockMismatch(offset: Int64, isSynchronised: Bool, source: FixOrigin, isFlagged: Bool)
        async
    {
        let agent = await AgentFixture()
        let utc = UTCTime(millisecondsSince1970: 1_800_000_000_000)
        // The clock is read three seconds after the bytes came: that is no disagreement.
        let clock = WallClockReading(
            time: utc.advanced(byMilliseconds: 3000), isSynchronised: isSynchronised)
        let sent = fix(agent, time: utc.advanced(byMilliseconds: offset), source: source)
        let marked = ClockCheck.marked(
            sent, against: clock, at: agent.time.uptime.advanced(byMilliseconds: 3000))
        #expect(marked.integrityFlags.contains(.clockMismatch) == isFlagged)
    }

    @Test("the flags of the fix travel with its events")
    func flagsOnEvents() async throws {
        let agent = await AgentFixture(isClockSynchronised: true)
        for meters in stride(from: -300.0, through: 0, by: 10) {
            agent.time.advance(milliseconds: 1000)
            var fix = fix(
                agent, east: meters,
                time: agent.time.wallClock.time.advanced(byMilliseconds: 86_400_000),
                source: .recording)
            fix.speed = 10
            await agent.tracking.take(.fix(fix))
        }
        let entered = try #require(agent.queueReader.events.first { $0.type == "enter" })
        #expect(entered.position?.integrityFlags == ["clock_mismatch"])
        let status = await agent.tracking.status(upload: nil)
        #expect(status.fix.integrityFlags == ["clock_mismatch"])
    }

    @Test(
        "a configured position says that its time comes from the system clock",
        arguments: [true, false])
    func fixedPosition(isSynchronised: Bool) async throws {
        let agent = await AgentFixture(isClockSynchronised: isSynchronised)
        for _ in 0..<5 {
            agent.time.advance(milliseconds: 1000)
            await agent.tracking.take(
                .fix(
                    fix(
                        agent, time: agent.time.wallClock.time, isTrusted: isSynchronised,
                        source: .fixed, quality: .manual)))
        }
        let entered = try #require(agent.queueReader.events.first { $0.type == "enter" })
        #expect(entered.timeQuality == (isSynchronised ? "disciplined" : "monotonic_only"))
        let anchors = agent.queueReader.use { $0.clockAnchors }
        #expect(anchors.map(\.source) == (isSynchronised ? [.disciplined] : []))
        let status = await agent.tracking.status(upload: nil)
        #expect(status.clock.source == (isSynchronised ? "ntp" : "none"))
        #expect(status.clock.offsetSeconds == nil)
    }

    @Test("a receiver without time leaves it to a synchronised clock, until GNSS knows better")
    func disciplinedAnchor() async throws {
        let agent = await AgentFixture(isClockSynchronised: true)
        agent.time.advance(milliseconds: 1000)
        await agent.tracking.take(.fix(fix(agent, time: nil, isTrusted: false)))
        #expect(agent.queueReader.use { $0.clockAnchors }.map(\.source) == [.disciplined])
        await agent.drive([-300, -290, -280, -200, -100, 0])
        #expect(agent.queueReader.use { $0.clockAnchors }.map(\.source) == [.gnss])
    }

    @Test("after a reboot there is no fix until one of this boot came, and never a negative age")
    func noNegativeAge() async throws {
        let handle = QueueHandle()
        let first = await AgentFixture(queue: handle)
        await first.drive([Double](repeating: 0, count: 90), speed: 0)
        let next = await AgentFixture(queue: handle, isRebooted: true)
        next.time.advance(milliseconds: 100)
        let before = await next.tracking.status(upload: nil)
        #expect(before.fix.ageSeconds == nil && before.fix.lat == nil)
        await next.drive([0, 0, 0, 0], speed: 0)
        let after = await next.tracking.status(upload: nil)
        #expect(after.fix.ageSeconds == 0 && after.fix.lat == 10)
    }

    @Test("a receiver that falls silent with its port open is stale, and that is told once")
    func stale() async {
        let agent = await AgentFixture()
        await agent.tracking.take(.opened)
        await agent.drive([-300, -290, -280])
        await agent.tracking.take(.health(SourceHealth(.fix, "")))
        let events = agent.hub.listen()
        for _ in 0..<8 {
            agent.time.advance(milliseconds: 1000)
            await agent.tracking.tick()
        }
        await agent.drive([-270])
        agent.hub.close()
        var states: [SourceHealth.State] = []
        for await event in events {
            if case .health(let health) = event, states.last != health.state {
                states.append(health.state)
            }
        }
        #expect(states == [.stale, .fix])
        #expect(agent.log.lines.filter { $0.message.hasPrefix("receiver stale") }.count == 1)
    }
}
