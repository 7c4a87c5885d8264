import AgentStorage
import CommandLineTool
import FieldTools
import Geodesy
import Glibc

/// `bench queue`: what the agent's queue costs on this disk.
struct QueueBenchCommand: Command {
    static let declaration = CommandDeclaration(
        "bench queue", summary: "measure the agent's queue beside a raw append with fdatasync",
        example: "bench queue --directory /var/tmp --json",
        discussion: """
            Commits the events of a seeded drive to a queue in a new folder below --directory, each \
            with the tracker state as the agent does it, and in turn appends a record of the same \
            size to a file with fdatasync. Then batches of 100, and their receipts. Medians of the \
            rounds are printed. event_us is the processor time of an event encoded, bound and \
            inserted below --memory, in commits of 1000 that wait for no disk. The folders are \
            removed afterwards.
            """,
        options: [
            .value("directory", "DIR", "on the file system to measure", default: "."),
            .value("memory", "DIR", "on a file system in memory", default: "/dev/shm"),
            .value("rounds", "N", "1 to 1000", default: "5"),
            .value("commits", "N", "single commits of a round, 20 to 100000", default: "200"),
            .value("batches", "N", "batches of 100 of a round, 1 to 10000", default: "20"),
            .json,
        ])

    private static let batch = 100
    /// Commits and appends alternate in lots, so that both meet the same other work of the disk.
    private static let lot = 10
    /// Until the log has its size and has been copied once.
    private static let warmUp = 150
    /// Events of one commit in memory, and how often.
    private static let (memoryBatch, memoryCommits) = (1000, 5)

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let rounds = try arguments.int("rounds", in: 1...1000) ?? 5
        let commits = try arguments.int("commits", in: 20...100_000) ?? 200
        let batches = try arguments.int("batches", in: 1...10_000) ?? 20
        let load = try EventLoad.bench()
        // As `geofenced` does.
        SQLiteEventQueue.claimLibrary()
        let folder = try WorkFolder(in: arguments.string("directory") ?? ".")
        let memory = try WorkFolder(in: arguments.string("memory") ?? "/dev/shm")
        defer {
            folder.remove()
            memory.remove()
        }
        let record = [UInt8](repeating: UInt8(ascii: "x"), count: try load.meanBytes())
        let raw = try RawLog("\(folder.path)/raw")
        var disk = try QueueBench(load, in: "\(folder.path)/queue", device: "bench")
        var quick = try QueueBench(load, in: "\(memory.path)/queue", device: "bench")
        try disk.commit(disk.lots(warmUp, of: 1))
        let progress = console.progress("measured", total: rounds)
        var measured: [QueueBenchRound] = []
        for _ in 0..<rounds {
            var round = QueueBenchRound()
            try measureSingles(commits, raw, record, &disk, &round)
            try measureBatches(batches, &disk, &round)
            let lots = quick.lots(memoryCommits, of: memoryBatch)
            let begin = ElapsedClock.processorSeconds
            try quick.commit(lots)
            round.eventMicroseconds =
                (ElapsedClock.processorSeconds - begin) / Double(memoryBatch * memoryCommits) * 1e6
            measured.append(round)
            progress.update(measured.count)
        }
        progress.finish()
        disk.queue.close()
        quick.queue.close()
        try console.print(
            report(
                QueueBenchRound.medians(measured), recordBytes: record.count, rounds: rounds,
                asJSON: arguments.flag("json")))
        return .success
    }

    private static func measureSingles(
        _ commits: Int, _ raw: RawLog, _ record: [UInt8], _ queue: inout QueueBench,
        _ round: inout QueueBenchRound
    ) throws {
        var (appending, committing) = (0.0, 0.0)
        for _ in 0..<max(1, commits / lot) {
            appending += try seconds { for _ in 0..<lot { try raw.append(record) } }
            let lots = queue.lots(lot, of: 1)
            committing += try seconds { try queue.commit(lots) }
        }
        let count = Double(max(1, commits / lot) * lot)
        round.rawRate = count / appending
        round.singleRate = count / committing
        _ = try queue.settle(batch)
    }

    private static func measureBatches(
        _ batches: Int, _ queue: inout QueueBench, _ round: inout QueueBenchRound
    ) throws {
        let events = Double(batches * batch)
        let lots = queue.lots(batches, of: batch)
        round.batchRate = events / (try seconds { try queue.commit(lots) })
        round.settleRate = events / (try seconds { _ = try queue.settle(batch) })
    }

    private static func seconds(_ work: () throws -> Void) rethrows -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        try work()
        return max(1e-9, start.duration(to: clock.now) / .seconds(1))
    }

    private static func report(
        _ medians: [Double], recordBytes: Int, rounds: Int, asJSON: Bool
    ) -> String {
        let figures = zip(QueueBenchRound.names, medians).map { name, value in
            (name: name, text: String((value * 10).rounded() / 10))
        }
        guard asJSON else {
            return figures.map { "\($0.name) \($0.text)" }.joined(separator: ", ")
                + " (records of \(recordBytes) bytes, \(rounds) rounds)"
        }
        return "{\"bench\":\"queue\","
            + figures.map { "\"\($0.name)\":\($0.text)" }.joined(separator: ",")
            + ",\"record_bytes\":\(recordBytes),\"rounds\":\(rounds)}"
    }
}

extension EventLoad {
    /// The drive that all benches of the queue use.
    static func bench() throws -> EventLoad {
        guard let center = Coordinate(latitude: 48.1, longitude: 11.5) else {
            throw CommandFailure("48.1 N 11.5 E is no place")
        }
        return try EventLoad(BenchmarkTown(center: center, fixes: 50_000, seed: 1))
    }
}
