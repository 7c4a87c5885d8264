import GeofenceAgent

/// One epoch of the receiver as a line for a person.
enum FixText {
    /// "fix 12:00:01.000Z ok, 3d differential, ±2.1 m (gst), 1.4 m/s, satellites 9/14, best 44 dB-Hz"
    static func line(_ fix: FixReport) -> String {
        var when = fix.time?.time.rfc3339 ?? "time not known yet     "
        if fix.time != nil, !fix.isTimeTrusted { when += "?" }
        var parts = ["fix \(when) \(fix.verdict)"]
        if fix.isReleased { parts[0] += " (released)" }
        parts.append(fix.dimension == "none" ? "no position" : "\(fix.dimension) \(fix.quality)")
        if fix.lat != nil {
            let source = fix.accuracySource ?? "assumed"
            parts.append("±\(EventText.meters(fix.gateAccuracyMeters)) (\(source))")
        }
        if let speed = fix.speed { parts.append("\(EventText.decimal(speed, digits: 1)) m/s") }
        let used = fix.satellitesUsed.map(String.init) ?? "?"
        let seen = fix.satellitesInView.map(String.init) ?? "?"
        if used != "?" || seen != "?" { parts.append("satellites \(used)/\(seen)") }
        if let hdop = fix.hdop { parts.append("HDOP \(EventText.decimal(hdop, digits: 1))") }
        if let best = fix.bestSignal { parts.append("best \(best) dB-Hz") }
        parts += fix.integrityFlags
        return parts.joined(separator: ", ")
    }
}
