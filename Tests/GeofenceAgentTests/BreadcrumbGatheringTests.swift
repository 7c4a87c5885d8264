import Delivery
import Geodesy
import Positioning
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import GeofenceAgent

@Suite("Positions that are gathered")
struct BreadcrumbGatheringTests {
    private static func crumb(_ second: Double) -> Breadcrumb {
        Breadcrumb(
            bootID: SampleEvents.bootID, uptime: Uptime(milliseconds: Int64(second * 1000)),
            time: nil, coordinate: place(10, 20), accuracyMeters: 5, speed: nil)
    }

    /// Seconds of the positions, the second at which is asked, and how many are due then.
    static let rows: [(times: [Double], now: Double, due: Int)] = [
        ([], 1000, 0), ([0], 0, 0), ([0], 29.999, 0), ([0], 30, 1), ([0, 10, 29], 30, 3),
        ([5, 6], 34, 0), ([5, 6], 35, 2), ((0..<749).map { Double($0) / 100 }, 8, 0),
        ((0..<750).map { Double($0) / 100 }, 8, 750),
    ]

    @Test("are written together once the first is old enough, or there are many", arguments: rows)
    func due(_ times: [Double], _ now: Double, _ due: Int) {
        var buffer = BreadcrumbBuffer(groupSeconds: 30)
        for second in times {
            buffer.add(Self.crumb(second), at: Uptime(milliseconds: Int64(second * 1000)))
        }
        let group = buffer.takeDue(at: Uptime(milliseconds: Int64(now * 1000)))
        #expect(group?.count ?? 0 == due)
        #expect(buffer.gathered.count == times.count - due)
        #expect(buffer.takeDue(at: Uptime(milliseconds: Int64(now * 1000))) == nil)
    }

    @Test("each accepted fix is in one group, also the last ones, and groups span half a minute")
    func drive() async {
        let agent = await AgentFixture(breadcrumbs: 30)
        await agent.visit()
        #expect(!agent.queueReader.kinds.isEmpty)
        let before = agent.queueReader.groups
        #expect(before.count == 3)
        #expect(before.allSatisfy { (30...31).contains($0.count) })
        await agent.tracking.close()
        let all = agent.queueReader.groups.flatMap { $0 }
        #expect(all.count == 102)
        let uptimes = all.map(\.uptime.milliseconds)
        #expect(zip(uptimes, uptimes.dropFirst()).allSatisfy { $1 - $0 == 1000 })
        #expect(all.allSatisfy { $0.time != nil && $0.accuracyMeters == 5 })
        #expect(all.allSatisfy { $0.bootID == agent.time.bootID })
    }

    @Test("what is due is written when the receiver has fallen silent, too")
    func silence() async {
        let agent = await AgentFixture(breadcrumbs: 20)
        await agent.drive([-300, -290, -280])
        #expect(agent.queueReader.groups.isEmpty)
        agent.time.advance(milliseconds: 20_000)
        await agent.tracking.tick()
        #expect(agent.queueReader.groups.map(\.count) == [3])
    }

    @Test("none are gathered where it is off, of a fixed position, and of fixes that are refused")
    func none() async {
        let off = await AgentFixture()
        await off.visit()
        await off.tracking.close()
        #expect(off.queueReader.groups.isEmpty)
        let agent = await AgentFixture(breadcrumbs: 20)
        for _ in 0..<60 {
            agent.time.advance(milliseconds: 1000)
            await agent.tracking.take(
                .fix(
                    Fix(
                        coordinate: place(10, 20), uptime: agent.time.uptime,
                        horizontalAccuracy: HorizontalAccuracy(
                            meters: 15, provenance: .configured),
                        dimension: .threeDimensional, quality: .manual, source: .fixed)))
            await agent.tracking.take(.fix(Fix(uptime: agent.time.uptime, source: .nmea)))
        }
        await agent.tracking.close()
        #expect(agent.queueReader.groups.isEmpty)
    }

    @Test("one without a time gets it from the anchor of its boot")
    func anchored() throws {
        let anchor = ClockAnchor(
            bootID: SampleEvents.bootID, uptime: Uptime(milliseconds: 0),
            utc: UTCTime(millisecondsSince1970: 1_800_000_000_000), source: .gnss)
        let report = BreadcrumbReport(Self.crumb(7), anchors: [anchor])
        #expect(report.at?.time == UTCTime(millisecondsSince1970: 1_800_000_007_000))
        #expect(BreadcrumbReport(Self.crumb(7)).at == nil)
        let text = String(decoding: try WireCoding.encode(report), as: UTF8.self)
        #expect(
            text
                == #"{"accuracy_m":5,"at":"2027-01-15T08:00:07.000Z","boot_id":"00112233445566778899aabbccddeeff","lat":10,"lon":20,"mono_ms":7000,"schema":"geofenced.position/1"}"#
        )
    }
}
