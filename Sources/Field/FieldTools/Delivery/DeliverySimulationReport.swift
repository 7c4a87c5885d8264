import Geodesy

/// What many simulated devices came to, by climate.
public struct DeliverySimulationReport: Sendable {
    private struct Sum: Sendable {
        var runs = 0
        var steps = 0
        var requests = 0
        var events = 0
        var starts = 0
        var violations = 0
        var slowestReceipt: Double?
    }

    private var sums: [String: Sum] = [:]
    /// Of the smallest seeds.
    public private(set) var violations: [(seed: UInt64, text: String)] = []
    private static let shownViolations = 20

    public init() {}

    public mutating func add(_ outcome: DeliverySimulation.Outcome) {
        for name in [outcome.climate, Self.all] {
            var sum = sums[name] ?? Sum()
            sum.runs += 1
            sum.steps += outcome.steps
            sum.requests += outcome.requests
            sum.events += outcome.events
            sum.starts += outcome.starts
            sum.violations += outcome.violation == nil ? 0 : 1
            if let seconds = outcome.firstReceiptSeconds {
                sum.slowestReceipt = max(sum.slowestReceipt ?? 0, seconds)
            }
            sums[name] = sum
        }
        if let text = outcome.violation { violations.append((outcome.seed, text)) }
        trim()
    }

    public mutating func add(_ other: DeliverySimulationReport) {
        for (name, sum) in other.sums {
            var mine = sums[name] ?? Sum()
            mine.runs += sum.runs
            mine.steps += sum.steps
            mine.requests += sum.requests
            mine.events += sum.events
            mine.starts += sum.starts
            mine.violations += sum.violations
            if let slowest = sum.slowestReceipt {
                mine.slowestReceipt = max(mine.slowestReceipt ?? 0, slowest)
            }
            sums[name] = mine
        }
        violations += other.violations
        trim()
    }

    private mutating func trim() {
        guard violations.count > Self.shownViolations else { return }
        violations.sort { $0.seed < $1.seed }
        violations.removeLast(violations.count - Self.shownViolations)
    }

    private static let all = "all"

    /// A table, and the violations with their seeds.
    public var text: String {
        var lines = [
            "| climate | devices | events | requests | starts | steps | slowest first receipt "
                + "| violations |",
            "| --- | --- | --- | --- | --- | --- | --- | --- |",
        ]
        let names = sums.keys.filter { $0 != Self.all }.sorted() + [Self.all]
        for name in names {
            guard let sum = sums[name] else { continue }
            let slowest = sum.slowestReceipt.map { "\(($0 * 10).rounded() / 10) s" } ?? "-"
            lines.append(
                "| \(name) | \(sum.runs) | \(sum.events) | \(sum.requests) | \(sum.starts) | "
                    + "\(sum.steps) | \(slowest) | \(sum.violations) |")
        }
        for violation in violations.sorted(by: { $0.seed < $1.seed }) {
            lines.append("seed \(violation.seed): \(violation.text)")
        }
        return lines.joined(separator: "\n")
    }
}
