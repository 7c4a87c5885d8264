import Geofencing

extension FenceReport {
    /// The explanation in plain words, the answer first.
    public var words: [String] {
        var lines = ["\(name): \(answer)"]
        if let fix {
            var text =
                "last position \(Measures.duration(max(0, fix.ageSeconds))) old, "
                + "good to \(Measures.meters(fix.accuracyMeters))"
            if let rest = fix.restSeconds { text += ", at rest for \(Measures.duration(rest))" }
            lines.append(text)
        }
        if let measured {
            let what = measured.basis == "mean" ? "mean of \(measured.fixes) positions" : "position"
            lines.append(
                "\(what): \(Measures.side(measured.signedDistanceMeters)), "
                    + "good to \(Measures.meters(measured.accuracyMeters))")
        }
        lines += rows.map(\.words)
        if let dwell { lines.append(dwell.words) }
        for row in rows where !reported.contains(row.kind) {
            lines.append("this fence does not report \(row.kind), so none would be sent")
            break
        }
        return lines
    }

    private var answer: String {
        switch FenceExplanation.Why(rawValue: why) {
        case .noFix: "no position was accepted yet, so nothing can be said"
        case .notMonitored: "not monitored: nearer fences take the places there are"
        case .overlapOverflow:
            "not monitored: the device is inside more fences than there are places"
        case .unknown: "the first state is not known yet: two positions must agree, or one be clear"
        case .coarseFix: "within the boundary, but the position is too coarse to prove an arrival"
        case .latched: "\(state): at rest for so long that the state holds until the device moves"
        case .settling: "\(state): just stopped, the mean position decides after 15 s"
        case .outside: "outside, as the device is not within the boundary"
        case .arrivalUnconfirmed: "outside: within the boundary, but the arrival is not proven yet"
        case .inside: "inside"
        case .departureUnconfirmed:
            "inside: beyond the boundary, but the departure is not proven yet"
        case nil: state
        }
    }
}

extension FenceReport.Row {
    /// "enter by margin: 3.2 m missing, 1 of 2 positions, 0.0 of 2.0 s"
    var words: String {
        var parts = [
            missingMeters > 0
                ? "\(Measures.meters(missingMeters)) missing to "
                    + Measures.side(neededDistanceMeters) : "the distance is met"
        ]
        if neededConfirmations > 1 {
            parts.append("\(confirmations) of \(neededConfirmations) positions")
            parts.append(
                "\(Measures.duration(spanSeconds)) of \(Measures.duration(neededSpanSeconds))")
        }
        if let neededSpeed { parts.append("from \(neededSpeed) m/s on") }
        return "\(kind) by \(rule): \(parts.joined(separator: ", "))"
    }
}

extension FenceReport.Dwell {
    var words: String {
        if reached { return "dwell: reached" }
        if stopped { return "dwell: the clock starts again at the next position inside" }
        return "dwell: \(Measures.duration(elapsedSeconds)) of \(Measures.duration(neededSeconds))"
    }
}
