import WireFormat

/// One event as a line for a person.
enum EventText {
    /// "12:00:01.000Z  #3  enter  gym  (initial, 12.3 m inside, +-5 m)"
    static func line(_ event: WireEvent) -> String {
        let when = event.occurredAt?.time.rfc3339 ?? "time not known yet     "
        var parts = [
            when, "#\(event.sequence)", event.type, event.fenceID?.text ?? "-",
        ]
        if let seconds = event.durationSeconds { parts.append(duration(seconds)) }
        let notes = notes(event)
        if !notes.isEmpty { parts.append("(\(notes.joined(separator: ", ")))") }
        return parts.joined(separator: " ")
    }

    private static func notes(_ event: WireEvent) -> [String] {
        var notes: [String] = []
        if event.initial { notes.append("initial") }
        if event.inferred { notes.append("inferred") }
        if let reason = event.reason { notes.append(reason) }
        if let distance = event.evidence?.signedDistanceMeters {
            notes.append("\(meters(abs(distance))) \(distance >= 0 ? "inside" : "outside")")
        }
        if let accuracy = event.evidence?.accuracyMeters { notes.append("±\(meters(accuracy))") }
        let notification = event.notification
        if notification.decision != "none" {
            let campaign = notification.campaignID.map { " \($0.text)" } ?? ""
            let reason = notification.reason.map { ": \($0)" } ?? ""
            notes.append("\(notification.decision)\(campaign)\(reason)")
        }
        if let verdict = event.serverNotificationVerdict { notes.append("server: \(verdict)") }
        return notes
    }

    static func meters(_ value: Double) -> String {
        value < 1000 ? "\(decimal(value, digits: 1)) m" : "\(decimal(value / 1000, digits: 2)) km"
    }

    static func duration(_ seconds: Double) -> String {
        let whole = Int64(max(0, min(seconds, 1e12)))
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3600) h \(whole % 3600 / 60) min"
    }

    static func decimal(_ value: Double, digits: Int) -> String {
        let scale = digits == 1 ? 10.0 : 100.0
        let scaled = Int64((min(abs(value), 1e12) * scale).rounded())
        let fraction = String(scaled % Int64(scale))
        let padding = String(repeating: "0", count: digits - fraction.count)
        return "\(value < 0 ? "-" : "")\(scaled / Int64(scale)).\(padding)\(fraction)"
    }
}
