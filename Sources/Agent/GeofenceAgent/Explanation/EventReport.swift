import Geofencing
import WireFormat

/// What `geofenced explain EVENT --json` prints, schema `geofenced.event-explanation/1`.
public struct EventReport: Codable, Sendable {
    public var schema = "geofenced.event-explanation/1"
    public var event: WireEvent
    /// The fence as it is known now; nil: it is no longer.
    public var fenceName: String?
    /// The signed distance that the rule asked for, metres; nil: the rule asks for none, or it
    /// depends on more than the event tells.
    public var neededDistanceMeters: Double?
    public var words: [String]

    enum CodingKeys: String, CodingKey {
        case schema, event, words
        case fenceName = "fence_name"
        case neededDistanceMeters = "needed_signed_distance_m"
    }

    init(_ event: WireEvent, fence: Fence?, rules: TransitionRules) {
        self.event = event
        fenceName = fence?.name
        neededDistanceMeters = Self.needed(event.evidence, fence, rules)
        words = Self.words(event, fenceName, neededDistanceMeters) + Self.notificationWords(event)
    }

    /// By the rules of now, which are those of then unless somebody changed them.
    private static func needed(
        _ evidence: WireEvidence?, _ fence: Fence?, _ rules: TransitionRules
    ) -> Double? {
        guard let evidence, let accuracy = evidence.accuracyMeters else { return nil }
        switch evidence.rule {
        case "decisive", "seed_decisive": return accuracy
        case "fast_repeated", "eager": return 0
        case "stationary_mean":
            return fence?.arrival == .strict ? accuracy : rules.settledArrivalShare * accuracy
        case "margin", "stationary_margin":
            return -rules.departureMarginMeters(accuracy, capMeters: fence?.exitAccuracyCapMeters)
        default: return nil
        }
    }

    // MARK: - Words

    private static func words(
        _ event: WireEvent, _ name: String?, _ needed: Double?
    ) -> [String] {
        let place = name ?? event.fenceID?.text
        let when = event.occurredAt?.time.rfc3339 ?? "at a time not known yet"
        var lines = ["#\(event.sequence) \(event.type)\(place.map { " of \($0)" } ?? ""), \(when)"]
        if let uncertainty = event.occurredUncertaintySeconds {
            lines[0] += " (give or take \(Measures.duration(uncertainty)))"
        }
        guard let evidence = event.evidence else { return lines }
        lines.append("\(evidence.rule): \(reason(evidence))")
        if let distance = evidence.signedDistanceMeters {
            let what = isMean(evidence) ? "mean position" : "confirming position"
            var text = "\(what): \(Measures.side(distance))"
            if let accuracy = evidence.accuracyMeters {
                text += ", good to \(Measures.meters(accuracy))"
            }
            if let needed { text += "; needed: \(Measures.side(needed))" }
            lines.append(text)
        }
        lines += details(event, evidence)
        return lines
    }

    private static func isMean(_ evidence: WireEvidence) -> Bool {
        evidence.rule == "stationary_mean" || evidence.rule == "stationary_margin"
    }

    private static func details(_ event: WireEvent, _ evidence: WireEvidence) -> [String] {
        var lines: [String] = []
        if let gap = evidence.gapSeconds {
            lines.append("without positions for \(Measures.duration(gap)) on the way to it")
        }
        if let chord = evidence.chordMeters {
            lines.append("drove \(Measures.meters(chord)) within the fence")
        }
        if let duration = event.durationSeconds {
            lines.append("the visit took \(Measures.duration(duration))")
        }
        if event.initial {
            lines.append("monitoring began, or the fence changed, with the device inside")
        }
        if event.inferred { lines.append("inferred: not every moment of it was seen") }
        return lines
    }

    private static func reason(_ evidence: WireEvidence) -> String {
        let count = evidence.confirmations
        let span = Measures.duration(evidence.spanSeconds)
        return switch evidence.rule {
        case "decisive": "one position lay inside by more than its accuracy"
        case "eager": "the fence takes any position inside for an arrival"
        case "fast_repeated": "\(count) positions inside over \(span), at speed"
        case "slow_mean":
            "\(count) positions over \(span), inside on average by half their accuracy"
        case "stationary_mean": "at rest, the mean of \(count) positions lay inside by enough"
        case "margin":
            "\(count) positions over \(span) lay outside by more than accuracy and margin"
        case "stationary_margin":
            "at rest, the mean of \(count) positions lay outside by more than accuracy and margin"
        case "seed_decisive": "the first clear position lay inside"
        case "seed_repeated": "the first \(count) positions agreed"
        case "dwell": "a position showed the device inside when the time was reached"
        case "dwell_ramp": "the device left nearby after an outage that the stay lasted through"
        case "stationary_hold": "at rest before the outage, with a hint that it stays"
        case "gap":
            "after the outage the device was elsewhere in the fence, for too long to be one visit"
        case "pass_inside": "drove through, with \(max(0, count - 1)) positions inside"
        case "pass_between_fixes": "the way between two positions runs through the fence"
        default: "the fence itself ended it"
        }
    }
}
