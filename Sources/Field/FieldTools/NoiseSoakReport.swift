/// The table of a noise soak, in Markdown.
public struct NoiseSoakReport: Sendable {
    public var seeds: Int
    public var hours: Double
    public var trials: Int

    public init(seeds: Int, hours: Double, trials: Int) {
        self.seeds = seeds
        self.hours = hours
        self.trials = trials
    }

    /// Runs everything; deterministic.
    ///
    /// - Parameter progress: what was done of what there is to do.
    public func text(progress: (Int, Int) -> Void = { _, _ in }) -> String {
        var lines = [
            "# Noise soak", "",
            "Made by `geofence-field soak --seeds \(seeds) --hours \(short(hours)) "
                + "--trials \(trials)`; the same options give the same bytes.", "",
            "The error of an axis is a Gauss-Markov process: sigma 2.5 m (open sky), 5 m (suburb), "
                + "12 m (urban),",
            "20 m (canyon), time constant 45 s; \"slow\": 80 % of the variance at 40 min. Claimed "
                + "accuracy: the true",
            "68 % radius, and half of it (\"x0.5\"). One fix a second unless said otherwise.", "",
        ]
        let total = NoiseSoak.environments.count * 4
        var done = 0
        lines += ["## Parked: false transitions in 24 h", ""]
        lines += header(["receiver", "engine"] + NoiseSoak.placements.map { "\(short($0)) m" })
        for environment in NoiseSoak.environments {
            for (slow, claim) in [(0.0, 1.0), (0.8, 1), (0, 0.5), (0.8, 0.5)] {
                lines += parked(environment, slow: slow, claim: claim)
                done += 1
                progress(done, total)
            }
        }
        lines += [
            "",
            "Columns: metres inside the edge of a circle of 100 m where the device stands. "
                + "Mean of \(seeds) days of",
            "\(short(hours)) h each, scaled to 24 h; in brackets false visits. "
                + "The one true arrival is not counted.", "",
        ]
        lines += driveThroughs()
        lines += ["", "## Arrivals parked inside a 100 m circle, found within 10 min", ""]
        lines += header(["receiver", "parked", "engine", "found", "p50", "p95"])
        for environment in NoiseSoak.environments {
            for depth in [50.0, 7.5] {
                let soak = NoiseSoak(environment, seed: 2)
                lines += rows(
                    [environment.name, "\(short(depth)) m inside"],
                    soak.arrivals(depthMeters: depth, trials: trials))
            }
        }
        lines += [
            "",
            "p50, p95: seconds from the true crossing to the fix that decided; of "
                + "\(trials) trials each.", "",
        ]
        return lines.joined(separator: "\n")
    }

    private func driveThroughs() -> [String] {
        var lines = ["## Drive-throughs of a 50 m circle at 25 m/s", ""]
        lines += header(["receiver", "fixes", "engine", "found", "p50", "p95"])
        for environment in NoiseSoak.environments {
            for period in [1.0, 30] {
                let soak = NoiseSoak(environment, seed: 1)
                let beside = soak.driveThroughs(periodSeconds: period, trials: trials)
                lines += rows([environment.name, "every \(short(period)) s"], beside)
                lines.append(
                    row(["", "", "*the reported way*", percent(beside[0].reportedShare), "", ""]))
                let middle = soak.driveThroughs(
                    periodSeconds: period, trials: trials, besideMeters: 0)
                lines += rows(
                    ["\(environment.name), middle", "every \(short(period)) s"],
                    [middle[0]])
                lines.append(
                    row(["", "", "*the reported way*", percent(middle[0].reportedShare), "", ""]))
            }
        }
        return lines + [
            "",
            "Up to 15 m beside the middle of the circle, or through it (\"middle\"). *The reported "
                + "way*: trials in which",
            "a reported fix, or the straight line between two, lies in the circle at all; in the "
                + "others no fix says that",
            "the device was there, and who finds them finds as many that never happened.",
        ]
    }

    private func parked(
        _ environment: NoiseSoak.Environment, slow: Double, claim: Double
    ) -> [String] {
        var sums = NoiseSoak.placements.map { _ in NoiseSoak.Parked() }
        for seed in 1...UInt64(max(1, seeds)) {
            let days = NoiseSoak(environment, slowShare: slow, claim: claim, seed: seed)
                .parked(hours: hours)
            for (index, day) in days.enumerated() { sums[index].add(day) }
        }
        let scale = 24 / hours / Double(max(1, seeds))
        let name = environment.name + (slow > 0 ? ", slow" : "") + (claim < 1 ? ", x0.5" : "")
        var rows = [
            row(
                [name, "**geofenced**"]
                    + sums.map {
                        let visits = Double($0.falseVisits) * scale
                        return tenths(Double($0.falseTransitions) * scale)
                            + (visits > 0 ? " (\(tenths(visits)))" : "")
                    })
        ]
        for (index, engine) in SimpleEngine.allCases.enumerated() {
            rows.append(
                row(
                    ["", engine.rawValue] + sums.map { tenths(Double($0.simple[index]) * scale) }))
        }
        return rows
    }

    private func rows(_ labels: [String], _ found: [NoiseSoak.Detection]) -> [String] {
        let names = ["**geofenced**"] + SimpleEngine.allCases.map(\.rawValue)
        return zip(names, found).enumerated().map { place, pair in
            let (name, detection) = pair
            return row(
                (place == 0 ? labels : labels.map { _ in "" }) + [
                    name, percent(detection.share),
                    detection.delay(0.5).map { tenths($0) + " s" } ?? "-",
                    detection.delay(0.95).map { tenths($0) + " s" } ?? "-",
                ])
        }
    }

    private func header(_ names: [String]) -> [String] {
        [row(names), row(names.map { _ in "---" })]
    }

    private func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    private func percent(_ share: Double) -> String { tenths(share * 100) + " %" }

    private func short(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(value))" : "\(value)"
    }

    private func tenths(_ value: Double) -> String { short((value * 10).rounded() / 10) }
}

extension NoiseSoak.Parked {
    mutating func add(_ other: NoiseSoak.Parked) {
        falseTransitions += other.falseTransitions
        falseVisits += other.falseVisits
        for index in simple.indices { simple[index] += other.simple[index] }
    }
}
