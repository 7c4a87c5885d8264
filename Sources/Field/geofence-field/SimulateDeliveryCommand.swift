import CommandLineTool
import Dispatch
import FieldTools
import Synchronization

/// `simulate-delivery`: whether every event arrives once, whatever happens.
struct SimulateDeliveryCommand: Command {
    static let declaration = CommandDeclaration(
        "simulate-delivery",
        summary: "deliver events through faults, crashes and wrong clocks, in virtual time",
        example: "simulate-delivery --seeds 20000",
        discussion: """
            Each seed is a device: the agent's own upload planner, retry delays, receipts and clock \
            anchors over a queue that loses what is not committed, a server that commits, a network \
            and clocks that fail. After each step every promise is checked; in the end, with a \
            clean network, everything must be stored once. --seed runs one device and tells what \
            happens, line by line, in seconds of its life. Exit status 1 where a promise did not \
            hold.
            """,
        options: [
            .value("seeds", "N", "devices, 1 to 10000000", default: "1000"),
            .value("first", "N", "seed of the first one", default: "1"),
            .value("threads", "N", "how many at once, 1 to 64", default: "2"),
            .value("seed", "N", "only this one, with its story"),
        ])

    private static let lot = 250

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        if let seed = try arguments.int("seed", in: 0...Int.max) {
            return try tell(UInt64(seed), on: console)
        }
        let seeds = try arguments.int("seeds", in: 1...10_000_000) ?? 1000
        let first = try arguments.int("first", in: 0...1_000_000_000_000) ?? 1
        let threads = try arguments.int("threads", in: 1...64) ?? 2
        let progress = console.progress("devices", total: seeds)
        let report = run(first..<(first + seeds), threads: threads) { progress.update($0) }
        progress.finish()
        try console.print(report.text)
        return report.violations.isEmpty ? .success : .failure
    }

    private static func run(
        _ seeds: Range<Int>, threads: Int, tell: @escaping @Sendable (Int) -> Void
    ) -> DeliverySimulationReport {
        let next = Atomic(seeds.lowerBound)
        let sum = Mutex(DeliverySimulationReport())
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            while true {
                let start = next.wrappingAdd(lot, ordering: .relaxed).oldValue
                guard start < seeds.upperBound else { return }
                var part = DeliverySimulationReport()
                for seed in start..<min(start + lot, seeds.upperBound) {
                    var simulation = DeliverySimulation(seed: UInt64(seed))
                    part.add(simulation.run())
                }
                let done = part
                sum.withLock { $0.add(done) }
                tell(start + lot - seeds.lowerBound)
            }
        }
        return sum.withLock { $0 }
    }

    private static func tell(_ seed: UInt64, on console: Console) throws -> ExitCode {
        var lines: [String] = []
        var simulation = DeliverySimulation(seed: seed, trace: { lines.append($0) })
        let outcome = simulation.run()
        for line in lines { try console.print(line) }
        try console.print(
            "seed \(seed): \(outcome.events) events, \(outcome.requests) requests, "
                + (outcome.violation ?? "every promise held"))
        return outcome.violation == nil ? .success : .failure
    }
}
