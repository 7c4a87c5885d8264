import CommandLineTool
import FieldTools

/// `bench backlog`: a queue as a device has it after a long time without network.
struct BacklogCommand: Command {
    static let declaration = CommandDeclaration(
        "bench backlog", summary: "fill the queue of an agent that is not running with events",
        example: "bench backlog --events 100000 --device van-12 /var/tmp/state",
        discussion: """
            Makes the queue in the folder, or opens it, and commits the events of a seeded drive \
            again and again, a thousand at once. The queue is closed as after an orderly stop. An \
            agent with this state_directory, this device.id and a queue.max_bytes large enough \
            goes on with it.
            """,
        positionals: [CommandPositional("DIR", "the agent's state directory")],
        options: [
            .value("events", "N", "1 to 10000000", default: "100000"),
            .value("device", "ID", "the agent's device.id", default: "bench"), .json,
        ])

    private static let batch = 1000

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let events = try arguments.int("events", in: 1...10_000_000) ?? 100_000
        guard let directory = arguments.string("DIR") else { throw UsageError("DIR is missing") }
        var bench = try QueueBench(
            try EventLoad.bench(), in: directory, device: arguments.string("device") ?? "bench")
        let progress = console.progress("committed", total: events)
        let start = ElapsedClock.seconds
        var done = 0
        while done < events {
            let count = min(batch, events - done)
            let lots = bench.lots(1, of: count, isStateKept: false)
            try bench.commit(lots)
            done += count
            progress.update(done)
        }
        let elapsed = ElapsedClock.seconds - start
        progress.finish()
        let pending = bench.queue.counts.pending
        bench.queue.close()
        let rate = Int((Double(events) / max(1e-9, elapsed)).rounded())
        try console.print(
            arguments.flag("json")
                ? "{\"events\":\(events),\"pending\":\(pending),\"events_per_s\":\(rate)}"
                : "\(events) events, \(rate) a second; \(pending) pending")
        return .success
    }
}
