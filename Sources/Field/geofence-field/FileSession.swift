import CommandLineTool
import Glibc
import Simulation
import Timekeeping

/// A simulation into a file or standard output, as fast as asked for.
struct FileSession {
    private let plan: SimulationPlan
    private let console: Console

    init(_ plan: SimulationPlan, console: Console) {
        self.plan = plan
        self.console = console
    }

    func run() throws {
        let start = plan.start ?? ElapsedClock.wholeSecond
        try plan.writeTruth(start: start)
        let file = try OutputFile(plan.outputPath)
        var receiver = plan.receiver(start: start)
        let departure = ElapsedClock.seconds
        while let epoch = receiver.next() {
            if let pace = plan.pace {
                guard wait(until: departure + epoch.seconds / pace) else { break }
            }
            try file.write(epoch.bytes)
            if plan.pace != nil { try file.finish() }
        }
        try file.finish()
    }

    /// False when a signal asks to end.
    private func wait(until time: Double) -> Bool {
        while true {
            if CaughtSignals.take(SIGTERM) || CaughtSignals.take(SIGINT) { return false }
            let left = time - ElapsedClock.seconds
            if left <= 0 { return true }
            ElapsedClock.sleep(milliseconds: max(1, min(50, Int(left * 1000))))
        }
    }
}
