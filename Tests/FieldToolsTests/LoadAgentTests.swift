import Delivery
import Geodesy
import Geofencing
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import FieldTools

@Suite("A simulated fleet")
struct LoadAgentTests {
    private let wall = WallClockReading(
        time: UTCTime(millisecondsSince1970: 1_800_000_000_000), isSynchronised: true)

    private func plan(lost: Double = 0, devices: Int = 20) throws -> LoadPlan {
        LoadPlan(
            devices: devices, durationSeconds: 300, rampSeconds: 10, eventsPerSecond: 5,
            lostAnswers: lost, around: try #require(Coordinate(latitude: 52, longitude: 13)),
            spreadMeters: 5_000, pool: 100, seed: 7)
    }

    /// A server in memory: keeps each event once.
    private struct Server {
        var kept: Set<String> = []
        var sequences: [String: [Int64]] = [:]
        var accepted = 0
        var duplicates = 0
        var greatestBatch = 0
        var batches = 0
        var revision = 1
        var interval = 5.0

        mutating func take(_ batch: OutgoingBatch) -> SendOutcome {
            batches += 1
            greatestBatch = max(greatestBatch, batch.events.count)
            var results: [String: Receipt.Result] = [:]
            for event in batch.events {
                let isNew = kept.insert(event.clientEventID).inserted
                accepted += isNew ? 1 : 0
                duplicates += isNew ? 0 : 1
                if isNew {
                    sequences[event.position.epoch, default: []].append(event.position.sequence)
                }
                results[event.clientEventID] = .init(isNew ? .accepted : .duplicate)
            }
            return .receipt(Receipt(results: results, configRevision: revision))
        }

        var fences: FenceFetchOutcome {
            var configuration = RemoteConfiguration()
            configuration.revision = revision
            configuration.uploadMaxBatch = 3
            configuration.uploadIntervalSeconds = interval
            guard let center = Coordinate(latitude: 52, longitude: 13) else {
                return .failed(FenceFetchFailure(.local, "no such place"))
            }
            return .fresh(
                FenceAnswer(
                    coverage: FenceCoverage(
                        syncID: "s", refreshAfterMeters: 500, refreshAfterSeconds: 600,
                        coverageRadiusMeters: nil),
                    fences: [
                        Fence(
                            id: "depot", version: 2, name: "Depot",
                            shape: .circle(center: center, radiusMeters: 100),
                            transitions: [.enter])
                    ], configuration: configuration, entityTag: "\"t\"", document: []))
        }
    }

    /// Runs the fleet in virtual time; the fleet's counts at the end.
    private func run(
        _ plan: LoadPlan, _ server: inout Server, outcome: (Int) -> SendOutcome? = { _ in nil }
    ) throws -> (made: Int64, pending: Int64, lost: Int, done: Int, fenceQuestions: Int) {
        let start = Uptime(milliseconds: 1_000)
        var agents = (0..<plan.devices).map { LoadAgent($0, of: plan, start: start) }
        var due = DueTimes()
        for index in agents.indices { due.insert(index, at: start) }
        var requests = 0
        var done = 0
        var questions = 0
        var second: Int64 = 0
        while done < plan.devices, second < 4_000 {
            let now = start.advanced(byMilliseconds: second * 1_000)
            while let index = due.next(at: now) {
                let isStopping = Double(second) >= plan.durationSeconds
                var next = now
                switch try agents[index].step(at: now, wall: wall, isStopping: isStopping) {
                case .done:
                    done += 1
                    continue
                case .wait(let until): next = max(until, now.advanced(byMilliseconds: 1))
                case .askForFences(let query):
                    questions += 1
                    #expect(query.limit == 18 && query.pool == 100)
                    agents[index].finished(fences: server.fences, at: now)
                case .send(let batch):
                    requests += 1
                    agents[index].finished(
                        outcome(requests) ?? server.take(batch), of: batch, at: now)
                case .sendHeartbeat(let body):
                    #expect(
                        (try? WireCoding.decode(WireHeartbeat.self, from: body))?.deviceID.text
                            == agents[index].deviceID)
                    agents[index].finished(heartbeat: .heard(configRevision: 1), at: now)
                }
                due.insert(index, at: next)
            }
            second += 1
        }
        return (
            agents.reduce(0) { $0 + $1.counts.enqueued },
            agents.reduce(0) { $0 + $1.counts.pending },
            agents.reduce(0) { $0 + $1.lostResults }, done, questions
        )
    }

    @Test("delivers everything once, in order, in batches of the server's size")
    func delivery() throws {
        var server = Server()
        let result = try run(plan(), &server)
        #expect(result.done == 20 && result.pending == 0)
        #expect(result.made > 500 && server.accepted == Int(result.made))
        #expect(server.duplicates == 0 && server.greatestBatch <= 3)
        #expect(server.sequences.count == 20)
        #expect(server.sequences.values.allSatisfy { $0 == Array(1...Int64($0.count)) })
        // 500 m at 10 m/s: every 50 s for 300 s.
        #expect((20 * 4...20 * 8).contains(result.fenceQuestions))
    }

    @Test("sends again what it has no receipt for, and nothing is kept twice")
    func losses() throws {
        var server = Server()
        let result = try run(plan(lost: 0.3), &server)
        #expect(result.done == 20 && result.pending == 0)
        #expect(server.duplicates > 0 && server.accepted == Int(result.made))
        #expect(server.duplicates == result.lost)
    }

    @Test(
        "has as many duplicates as results were lost, none where none was, however short it is",
        arguments: [0, 0.02, 0.5])
    func accounts(share: Double) throws {
        for seed in 0..<20 as Range<UInt64> {
            var server = Server()
            var plan = try plan(lost: share, devices: 6)
            plan.durationSeconds = 8
            plan.seed = seed
            let result = try run(plan, &server)
            #expect(result.done == 6 && result.pending == 0, "seed \(seed)")
            #expect(server.accepted == Int(result.made), "seed \(seed)")
            #expect(server.duplicates == result.lost, "seed \(seed)")
        }
    }

    @Test("holds back as an agent does when the server says 503")
    func backoff() throws {
        var server = Server()
        var refused = 0
        let result = try run(plan(), &server) { request in
            guard request <= 100 else { return nil }
            refused += 1
            return .refused(Refusal(status: 503, retryAfterSeconds: 20))
        }
        #expect(refused == 100 && result.done == 20 && server.accepted == Int(result.made))
    }

    @Test("without fences has nothing to tell")
    func noFences() throws {
        var agent = LoadAgent(0, of: try plan(devices: 1), start: Uptime(milliseconds: 0))
        for second in 0..<1_000 as Range<Int64> {
            let now = Uptime(milliseconds: second * 1_000)
            if case .askForFences = try agent.step(at: now, wall: wall, isStopping: false) {
                agent.finished(fences: .failed(FenceFetchFailure(.server, "busy")), at: now)
            }
        }
        #expect(agent.counts.enqueued == 0 && !agent.hasFences)
    }
}

@Suite("The figures of a load")
struct LoadFigureTests {
    @Test("a quantile is at most 2 % above the value that stands there")
    func quantiles() {
        var generator = SeededGenerator(seed: 3)
        var histogram = LatencyHistogram()
        var values: [Double] = []
        for _ in 0..<10_000 {
            let value = 0.000_02 + generator.unit() * generator.unit() * 3
            values.append(value)
            histogram.add(value)
        }
        values.sort()
        for share in [0.01, 0.5, 0.95, 0.99, 0.999, 1] {
            let exact = values[max(0, Int((share * 10_000).rounded(.up)) - 1)]
            let told = histogram.quantile(share) ?? 0
            #expect(told >= exact && told <= exact * 1.021, "\(share): \(told) for \(exact)")
        }
        #expect(histogram.quantile(1) == values.last && histogram.longest == values.last)
        #expect(LatencyHistogram().quantile(0.5) == nil)
        var both = histogram
        both.add(histogram)
        #expect(both.count == 20_000 && both.quantile(0.5) == histogram.quantile(0.5))
    }

    @Test("whoever is due first comes first")
    func order() {
        var generator = SeededGenerator(seed: 5)
        var due = DueTimes()
        let times = (0..<1_000).map { _ in Int64(generator.unit() * 500) }
        for (index, time) in times.enumerated() {
            due.insert(index, at: Uptime(milliseconds: time))
        }
        #expect(due.next(at: Uptime(milliseconds: -1)) == nil)
        var seen: [Int64] = []
        for now in 0...500 as ClosedRange<Int64> {
            while let index = due.next(at: Uptime(milliseconds: now)) { seen.append(times[index]) }
            #expect(seen.allSatisfy { $0 <= now } && seen.count == times.count { $0 <= now })
        }
        #expect(seen == times.sorted() && due.isEmpty)
    }

    @Test("errors are counted by kind, and a report with one is not clean")
    func report() throws {
        var tally = LoadTally()
        tally.add(
            .refused(Refusal(status: 429, reason: "rate_limited")) as SendOutcome, seconds: 0.1)
        tally.add(
            .receipt(
                Receipt(results: [
                    "a": .init(.accepted), "b": .init(.duplicate),
                    "c": .init(.rejected(code: "id_reused")),
                    "d": .init(.deferred(retryAfterSeconds: 1)),
                ])) as SendOutcome, seconds: 0.2)
        var all = LoadTally()
        all.add(tally)
        all.add(tally)
        #expect(all.errors == ["batch: HTTP 429: rate_limited": 2, "event rejected: id_reused": 2])
        #expect(all.accepted == 2 && all.duplicates == 2 && all.deferred == 2 && all.requests == 4)
        let plan = LoadPlan(
            devices: 1, durationSeconds: 1, rampSeconds: 0, eventsPerSecond: 1, lostAnswers: 0,
            around: try #require(Coordinate(latitude: 0, longitude: 0)), spreadMeters: 0, pool: 18,
            seed: 1)
        let report = LoadReport(
            all, made: 4, pending: 0, lost: 4, plan: plan, connections: 1, seconds: 2, life: 1,
            memory: .init(load: 1, server: nil))
        #expect(!report.isClean && report.lines.contains { $0.contains("429") })
        let clean = LoadReport(
            LoadTally(), made: 0, pending: 0, lost: 0, plan: plan, connections: 1, seconds: 2,
            life: 1,
            memory: .init(load: 1, server: nil))
        #expect(clean.isClean)
    }
}
