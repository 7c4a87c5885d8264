/// What the members of a fence may be.
public enum FenceLimits {
    /// Seconds, written where a fence comes without.
    public static let defaultDwellSeconds = 300.0
    /// Seconds; below it a drive-by counts as a visit.
    public static let shortDwellSeconds = 120.0
    /// Metres; below it receivers of phones and vehicles miss arrivals.
    public static let smallRadiusMeters = 100.0
    public static let metadataKeys = 50
    /// Bytes of `metadata` as JSON; that of 18 fences fits into an answer.
    public static let metadataBytes = 16_384
    /// Bytes of a fence as JSON with its campaigns: one fits into an answer of 512 KiB.
    public static let documentBytes = 491_520
    public static let nameCharacters = 200
    public static let campaigns = 50

    public static func defects(of wire: WireFence) -> [Problem.Defect] {
        var defects: [Problem.Defect] = []
        func check(_ value: Double?, _ range: ClosedRange<Double>, _ name: String) {
            guard let value, !range.contains(value) else { return }
            defects.append(
                Problem.Defect(
                    pointer: "/\(name)", code: "out_of_range",
                    detail: "\(value) is not from \(range.lowerBound) to \(range.upperBound)"))
        }
        check(wire.dwellSeconds, 1...604_800, "dwell_s")
        check(wire.exitAccuracyCapMeters, 1...10_000, "exit_accuracy_cap_m")
        check(wire.cooldownHours, 0...8_760, "cooldown_hours")
        check(wire.priority.map(Double.init), -1_000...1_000, "priority")
        check(wire.metadata.map { Double($0.count) }, 0...Double(metadataKeys), "metadata")
        check(wire.campaigns.map { Double($0.count) }, 0...Double(campaigns), "campaigns")
        check(wire.name.map { Double($0.unicodeScalars.count) }, 1...Double(nameCharacters), "name")
        check(wire.timezone.map { Double($0.utf8.count) }, 1...64, "timezone")
        if let metadata = wire.metadata {
            let bytes = (try? WireCoding.encode(metadata).count) ?? .max
            check(Double(bytes), 0...Double(metadataBytes), "metadata")
        }
        for (index, window) in (wire.activeWindows ?? []).enumerated() {
            defects += WindowCheck.defects(of: window, at: "/active_windows/\(index)")
        }
        if let quiet = wire.quietHours {
            defects += WindowCheck.defects(of: quiet, at: "/quiet_hours")
        }
        return defects
    }
}
