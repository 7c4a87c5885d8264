import Campaigns
import Delivery
import Geofencing
import Simulation
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import GeofenceAgent

/// The table of docs/notifications.md, cell by cell, through the whole control loop.
@Suite("Notifications and clocks: the matrix")
struct ClockMatrixTests {
    enum Disturbance: String, CaseIterable, Sendable {
        case none
        case noTime = "no time"
        case rollover
        case stepForward = "+1 h"
        case stepBack = "-1 h"
        case reboot
        case suspend
    }

    /// What is expected of the enters, one after the other.
    struct Cell: Sendable, CustomTestStringConvertible {
        var disturbance: Disturbance
        var words: [String]
        var testDescription: String { disturbance.rawValue }
    }

    /// A device with a fence of one campaign, and a clock to play with.
    struct Bench {
        let queue = QueueHandle()
        let clock: ManualTimekeeper
        let notices: FenceNotices
        var agent: AgentFixture
        var disturbance: Disturbance
        private var isDisturbed = false

        init(
            _ disturbance: Disturbance, at utc: String, trigger: Transition.Kind = .enter,
            cooldownHours: Double = 0, quiet: WeeklyWindow? = nil, windows: [WeeklyWindow] = [],
            maxPerDay: Int? = nil
        ) async throws {
            self.disturbance = disturbance
            let time = try #require(UTCTime(rfc3339: utc))
            clock = ManualTimekeeper(wallClock: time, isSynchronised: false)
            notices = FenceNotices(
                fenceID: "A", cooldownHours: cooldownHours, timezone: "Europe/Berlin",
                activeWindows: windows, quietHours: quiet,
                campaigns: [
                    Campaign(id: "c", trigger: trigger, title: "T", maxPerDay: maxPerDay)
                ])
            agent = await Self.agent(queue, clock, notices)
        }

        static func agent(
            _ queue: QueueHandle, _ clock: ManualTimekeeper, _ notices: FenceNotices
        ) async -> AgentFixture {
            var settings = NotificationSettings(zones: FixtureZones.shared)
            settings.fixed.fences = [notices]
            return await AgentFixture(queue: queue, clock: clock, notifications: settings)
        }

        /// What the receiver says of the time now.
        var receiver: ReceiverClock {
            switch disturbance {
            case .noTime: .unknown
            case .rollover: isDisturbed ? .off(-1024 * 7 * 86_400_000) : .right
            case .stepForward: isDisturbed ? .off(3_600_000) : .right
            case .stepBack: isDisturbed ? .off(-3_600_000) : .right
            case .none, .reboot, .suspend: .right
            }
        }

        /// Lets time pass, with the disturbance somewhere in it.
        mutating func pass(hours: Double) async {
            let milliseconds = Int64(hours * 3_600_000)
            switch disturbance {
            case .reboot where !isDisturbed:
                clock.advance(milliseconds: milliseconds / 2)
                await agent.tracking.close()
                clock.reboot(afterMilliseconds: milliseconds - milliseconds / 2)
                agent = await Self.agent(queue, clock, notices)
            // Asleep, and no second was looked at.
            case .suspend: clock.advance(milliseconds: milliseconds)
            default:
                for _ in 0..<4 {
                    clock.advance(milliseconds: milliseconds / 4)
                    await agent.tracking.tick()
                }
            }
            isDisturbed = true
        }

        mutating func visit() async { await agent.visit(clock: receiver) }

        /// "shown", "none" or the reason, of every event of a kind.
        func words(_ kind: EventKind = .enter) -> [String] {
            queue.events.filter { $0.type == kind.rawValue }.map {
                $0.notification.decision == "suppressed"
                    ? $0.notification.reason ?? "?" : $0.notification.decision
            }
        }
    }

    static let cooldownCells = Disturbance.allCases.map {
        Cell(disturbance: $0, words: ["shown", "cooldown", "cooldown", "shown"])
    }

    @Test("a cooldown of 24 h lasts 24 h", arguments: cooldownCells)
    func cooldown(_ cell: Cell) async throws {
        var bench = try await Bench(cell.disturbance, at: "2026-06-01T10:00:00Z", cooldownHours: 24)
        await bench.visit()
        await bench.pass(hours: 1)
        await bench.visit()
        await bench.pass(hours: 22)
        await bench.visit()
        await bench.pass(hours: 1)
        await bench.visit()
        #expect(bench.words() == cell.words)
        let left = bench.queue.events.compactMap { $0.notification.basis?.remainingSeconds }
        try #require(left.count == 2)
        // An hour, and the time that two visits take.
        #expect(abs(left[0] - 82_800) < 200 && abs(left[1] - 3_600) < 400)
    }

    @Test("a dwell is told once, after its time", arguments: Disturbance.allCases)
    func dwell(_ disturbance: Disturbance) async throws {
        var bench = try await Bench(disturbance, at: "2026-06-01T10:00:00Z", trigger: .dwell)
        let way = stride(from: -300.0, through: 0, by: 10).map { $0 }
        await bench.agent.drive(way, clock: bench.receiver)
        await bench.agent.drive([0, 0, 0], speed: 0, clock: bench.receiver)
        await bench.pass(hours: 0.05)
        await bench.agent.drive(
            [Double](repeating: 0, count: 60), speed: 0, clock: bench.receiver)
        #expect(bench.words(.dwell) == ["shown"])
        #expect(bench.words(.enter) == ["none"])
        #expect(bench.queue.kinds == [.enter, .dwell, .visitStarted])
    }

    static let quietCells: [Cell] = [
        Cell(disturbance: .none, words: ["shown", "quiet_hours"]),
        Cell(disturbance: .noTime, words: ["time_unknown", "time_unknown"]),
        // 1024 weeks before it is the same weekday, hour and minute.
        Cell(disturbance: .rollover, words: ["shown", "quiet_hours"]),
        Cell(disturbance: .stepForward, words: ["shown", "quiet_hours"]),
        // The clock that is trusted says half past nine once more.
        Cell(disturbance: .stepBack, words: ["shown", "shown"]),
        Cell(disturbance: .reboot, words: ["shown", "quiet_hours"]),
        Cell(disturbance: .suspend, words: ["shown", "quiet_hours"]),
    ]

    @Test("quiet hours begin at ten in Berlin, as far as the time is known", arguments: quietCells)
    func quietHours(_ cell: Cell) async throws {
        let quiet = WeeklyWindow(hours: .between(start: 22 * 60, end: 6 * 60))
        // Half past nine in the evening.
        var bench = try await Bench(cell.disturbance, at: "2026-06-01T19:30:00Z", quiet: quiet)
        await bench.visit()
        await bench.pass(hours: 1)
        await bench.visit()
        #expect(bench.words() == cell.words)
    }

    static let windowCells: [Cell] = [
        Cell(disturbance: .none, words: ["shown", "window"]),
        Cell(disturbance: .noTime, words: ["time_unknown", "time_unknown"]),
        Cell(disturbance: .rollover, words: ["shown", "window"]),
        Cell(disturbance: .stepForward, words: ["shown", "window"]),
        Cell(disturbance: .stepBack, words: ["shown", "shown"]),
        Cell(disturbance: .reboot, words: ["shown", "window"]),
        Cell(disturbance: .suspend, words: ["shown", "window"]),
    ]

    @Test(
        "an active window ends at five in Berlin, as far as the time is known",
        arguments: windowCells)
    func window(_ cell: Cell) async throws {
        let window = try #require(WeeklyWindow(hours: .between(start: 9 * 60, end: 17 * 60)))
        // Half past four in the afternoon.
        var bench = try await Bench(cell.disturbance, at: "2026-06-01T14:30:00Z", windows: [window])
        await bench.visit()
        await bench.pass(hours: 1)
        await bench.visit()
        #expect(bench.words() == cell.words)
    }

    static let capCells = Disturbance.allCases.map {
        Cell(disturbance: $0, words: ["shown", "cap", "shown"])
    }

    @Test(
        "a cap of one a day holds for the day, or for 24 h where the day is not known",
        arguments: capCells)
    func cap(_ cell: Cell) async throws {
        var bench = try await Bench(cell.disturbance, at: "2026-06-01T10:00:00Z", maxPerDay: 1)
        await bench.visit()
        await bench.pass(hours: 1)
        await bench.visit()
        await bench.pass(hours: 24)
        await bench.visit()
        #expect(bench.words() == cell.words)
    }
}
